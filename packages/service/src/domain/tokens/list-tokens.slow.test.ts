import { holdLock, query } from '@badge/test-support/sql';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tokenFiltersFixture } from '../../testing/token-filters-fixture.ts';
import type { Reader } from '../reader.ts';
import { listCommunityTokens } from './list-tokens.ts';

const fixture = tokenFiltersFixture();

const UNLIMITED_READER: Reader = { read: (_maxBytes, runQuery) => runQuery() };

const anyText = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => !text.includes('\0'));
const anyValue = fc.oneof(
  anyText,
  fc.constantFrom('true', 'false', '5', '-0', '1e21', 'NaN', '"', '\\', '%', ''),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
);
const anyName = fc.oneof(anyText, fc.constantFrom('__proto__', 'toString', 'x'));

async function isFound(attributes: Record<string, string>): Promise<boolean> {
  const filter = { limit: 1, offset: 0, order: 'asc' as const, headline: undefined, attributes };
  const pieces = listCommunityTokens(fixture.service.context, UNLIMITED_READER, 'demo', null, filter);
  const { value: piece } = await pieces.next();
  return piece !== undefined && piece.items.length > 0;
}

test('a filter finds a token by the text of any attribute value, and by no other text', async () => {
  await fc.assert(
    fc.asyncProperty(anyName, anyValue, anyText, async (fieldName, value, otherText) => {
      const json = JSON.stringify([{ fieldName, type: 'any', value }]);
      await query(fixture.service.databaseUrl, 'update tokens set custom_attributes = $1', [json]);
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      expect(await isFound(Object.fromEntries([[fieldName, text]]))).toBe(true);
      expect(await isFound(Object.fromEntries([[fieldName, otherText]]))).toBe(text === otherText);
      expect(await isFound(Object.fromEntries([[`${fieldName}.`, text]]))).toBe(false);
    }),
    { numRuns: 150 },
  );
});

// Because of its filters or its offset above 1,000, the query of each of these lists has a statement timeout
// of 1 second.
test.each([
  ['wallets/0x0000000000000000000000000000000000000001/tokens?claimStatus=unclaimed', 'allowlist_entries'],
  ['wallets/0x0000000000000000000000000000000000000001/tokens?communityId=demo', 'claims'],
  ['wallets/0x0000000000000000000000000000000000000001/tokens?offset=1001', 'claims'],
  ['wallets/0x0000000000000000000000000000000000000001/tokens?offset=1001&limit=1000', 'claims'],
  ['tokens/1/owners?offset=1001', 'claims'],
  ['tokens/2/contributors?offset=1001', 'allowlist_entries'],
  ['auditLog?offset=1001', 'audit_log'],
  ['auditLog?action=claim&communityId=demo', 'audit_log'],
])(
  'GET /v1/%s is refused after a second if its table is locked, and succeeds when it is unlocked',
  async (path, table) => {
    const list = () =>
      fetch(`${fixture.service.url}/v1/${path}`, { headers: { 'X-API-Key': fixture.service.adminKey } });
    const release = await holdLock(fixture.service.databaseUrl, table, 'access exclusive');
    const refused = await list();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({
      name: 'Unavailable',
      detail: expect.stringContaining('Reading this list took too long.'),
    });
    await release();
    expect((await list()).status).toBe(200);
  },
);

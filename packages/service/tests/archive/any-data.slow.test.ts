import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CustomAttribute } from '@badge/protocol';
import { createDatabase } from '@badge/test-support/databases';
import { newWallet, signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { carryKeys, configOf, exportTo, importFrom } from '../../src/testing/archives.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

let service: TestService;
let dataDir: string;
beforeAll(async () => {
  service = await startTestService({ BADGE_RATE_LIMIT: 'off' });
  dataDir = await carryKeys(service.dataDir);
});
afterAll(async () => await service.stop());

async function wait(response: Response): Promise<number> {
  expect(response.status).toBe(202);
  const operation = await service.call(`${response.headers.get('location')}?wait=30`);
  const { status, resourceId } = (await operation.json()) as { status: string; resourceId: number };
  expect(status).toBe('success');
  return resourceId;
}

async function create(fields: object): Promise<number> {
  return await wait(
    await service.call('/v1/tokens', { json: await signedToken({ ...fields }), key: service.apiKey }),
  );
}

const hasText = (text: string) => text.trim() !== '' && !text.includes('\0') && text.isWellFormed();
const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).filter(hasText);
const anyTime = fc.integer({ min: 1, max: 8_640_000_000_000_000 });
const anyValue: fc.Arbitrary<Pick<CustomAttribute, 'type' | 'value'>> = fc.oneof(
  fc.record({ type: fc.constant('string' as const), value: anyText }),
  fc.record({ type: fc.constant('boolean' as const), value: fc.boolean() }),
  fc.record({
    type: fc.constant('number' as const),
    value: fc.double({ noNaN: true, noDefaultInfinity: true }),
  }),
  fc.record({ type: fc.constant('date' as const), value: anyTime }),
);
const anyFields = fc.record({
  headline: anyText,
  description: anyText,
  criteria: anyText,
  links: fc.array(fc.webUrl(), { maxLength: 3 }),
  isSignatureRequired: fc.boolean(),
  totalClaimCount: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  validUntilTimestamp: anyTime,
  customAttributes: fc
    .array(anyValue, { maxLength: 4 })
    .map((values) => values.map((value, index) => ({ fieldName: `attribute ${index}`, ...value }))),
});

async function expectSameCopy(file: string): Promise<string> {
  const url = await createDatabase();
  await importFrom(file, configOf(dataDir, url));
  const again = `${file}.again`;
  await exportTo(again, configOf(dataDir, url));
  expect((await readFile(again)).equals(await readFile(file))).toBe(true);
  return url;
}

test('any text, number and time is the same in the copy', async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyFields, { minLength: 10, maxLength: 20 }), anyText, async (tokens, name) => {
      runs += 1;
      await Promise.all(tokens.map(create));
      const community = { displayId: 'd', name, description: name };
      await service.call('/v1/communities', { json: community, key: service.adminKey });
      const file = join(dataDir, `any-${runs}.tar`);
      await exportTo(file, configOf(dataDir, service.databaseUrl));
      const url = await expectSameCopy(file);
      const rows = (database: string) =>
        query(
          database,
          'select t::text from tokens t union all select c::text from communities c order by 1',
        );
      expect(await rows(url)).toEqual(await rows(service.databaseUrl));
    }),
    { numRuns: 5, endOnFailure: true },
  );
});

test('an archive that is made under load is complete: each operation with what it has done', async () => {
  const stop = new AbortController();
  const work = async () => {
    while (!stop.signal.aborted) {
      const tokenId = await create({ headline: 'Load' });
      const json = { address: newWallet().address };
      await wait(await service.call(`/v1/tokens/${tokenId}/airdrop`, { json, key: service.apiKey }));
    }
  };
  const workers = [work(), work(), work()];
  const files = ['load-1.tar', 'load-2.tar', 'load-3.tar'].map((name) => join(dataDir, name));
  try {
    for (const file of files) await exportTo(file, configOf(dataDir, service.databaseUrl));
  } finally {
    stop.abort();
    await Promise.all(workers);
  }
  for (const file of files) {
    const url = await expectSameCopy(file);
    const incomplete = await query(
      url,
      `select from operations o where status = 'success'
         and not exists (select from tokens t where t.operation_id = o.operation_id)
         and not exists (select from claims c where c.operation_id = o.operation_id)`,
    );
    expect(incomplete).toHaveLength(0);
    const miscounted = await query(
      url,
      `select from tokens t where total_claim_count - remaining_claim_count
         <> (select count(*) from claims c where c.token_id = t.token_id)`,
    );
    expect(miscounted).toHaveLength(0);
  }
});

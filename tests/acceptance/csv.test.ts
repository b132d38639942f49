import { newWallet } from '@badge/test-support/signing';
import { beforeAll, expect, test } from 'vitest';
import {
  claimWithKey,
  claimWithSignature,
  createAllowlistedToken,
  createClaimLinks,
  createOpenToken,
  expectDone,
  ownersOf,
  revokeClaimLink,
} from './claim-requests.ts';
import { type ApiResponse, call, withDemoKey } from './client.ts';
import { expectProblem } from './problems.ts';

const asCsv = { Accept: 'text/csv' };
const readCsv = (path: string, headers: Record<string, string> = {}) =>
  call(path, { headers: { ...asCsv, ...headers } });

/**
 * Checks the headers and the form of a CSV response, and returns its rows. No cell may contain a line break.
 */
function rowsOf(response: ApiResponse, fileName: string): string[] {
  expect(response.status, response.text).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${fileName}"`);
  expect(response.headers.get('vary')).toBe('Accept');
  expect([...response.bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(response.text.endsWith('\r\n')).toBe(true);
  return response.text.slice(1, -2).split('\r\n');
}

const wallets = [newWallet(), newWallet(), newWallet()];
let openTokenId = 0;
let allowlistedTokenId = 0;
beforeAll(async () => {
  openTokenId = await createOpenToken({ totalClaimCount: 9 });
  for (const wallet of wallets) await expectDone(openTokenId, claimWithSignature(openTokenId, wallet));
  allowlistedTokenId = await createAllowlistedToken([
    wallets[0]?.address ?? '',
    'ada@example.org',
    '=HYPERLINK("https://example.org"),x',
  ]);
});

test('owners are a CSV file of all owners, whatever the limit and the offset', async () => {
  const owners = await ownersOf(openTokenId);
  expect(owners).toHaveLength(3);
  for (const query of ['', '?limit=1&offset=2']) {
    const response = await readCsv(`/v1/tokens/${openTokenId}/owners${query}`);
    expect(rowsOf(response, `token-${openTokenId}-owners.csv`)).toEqual([
      'address,claimedAtTimestamp,claimedAt,validUntilTimestamp,validUntil,isKept',
      ...owners.map(
        ({ address, claimedAtTimestamp }) =>
          `${address},${claimedAtTimestamp},${new Date(claimedAtTimestamp).toISOString()},,,false`,
      ),
    ]);
  }
});

test('JSON and CSV of the same list do not mix', async () => {
  const path = `/v1/tokens/${openTokenId}/owners`;
  for (let round = 0; round < 2; round += 1) {
    const json = await call(path);
    expect(json.headers.get('content-type')).toMatch(/^application\/json/);
    expect(json.headers.get('vary')).toBe('Accept');
    expect(JSON.parse(json.text)).toMatchObject({ limit: 50, offset: 0 });
    expect((await readCsv(path)).text).toContain(
      'claimedAtTimestamp,claimedAt,validUntilTimestamp,validUntil,isKept\r\n',
    );
  }
});

test('contributors are a CSV file in which a spreadsheet executes nothing', async () => {
  await expectDone(
    allowlistedTokenId,
    claimWithKey(allowlistedTokenId, newWallet().address, { identifier: 'ada@example.org' }),
  );
  const path = `/v1/tokens/${allowlistedTokenId}/contributors`;
  const rows = rowsOf(await readCsv(path, withDemoKey), `token-${allowlistedTokenId}-contributors.csv`);
  const [header, first, second, third, ...more] = rows;
  expect(header).toMatch(/^contributor,address,hasClaimed/);
  expect(first).toBe(`${wallets[0]?.address},${wallets[0]?.address},false`);
  expect(second).toMatch(/^ada@example\.org,.*,true$/);
  expect(third).toBe(`"'=HYPERLINK(""https://example.org""),x",,false`);
  expect(more).toEqual([]);
});

test('the contributors of an open token are a CSV file with only the header row', async () => {
  const path = `/v1/tokens/${openTokenId}/contributors`;
  expect(rowsOf(await readCsv(path, withDemoKey), `token-${openTokenId}-contributors.csv`)).toHaveLength(1);
});

test('claim links are a CSV file, also with a status', async () => {
  const [kept, revoked] = await createClaimLinks(openTokenId, { count: 2 });
  expect((await revokeClaimLink(openTokenId, revoked?.claimLinkId ?? '')).status).toBe(204);
  const path = `/v1/tokens/${openTokenId}/claimLinks`;
  const fileName = `token-${openTokenId}-claim-links.csv`;
  const rows = rowsOf(await readCsv(path, withDemoKey), fileName);
  expect(rows).toHaveLength(3);
  expect(rows[0]).toContain('createdAtTimestamp,createdAt,');
  expect(rows[1]).toContain(`${kept?.claimLinkId},,unused,`);
  expect(rows[1]).toContain(new Date(kept?.createdAtTimestamp ?? 0).toISOString());
  const unused = rowsOf(await readCsv(`${path}?status=unused`, withDemoKey), fileName);
  expect(unused).toEqual([rows[0], rows[1]]);
  expect(rows.join('\n')).not.toContain(kept?.code);
});

test('a CSV file needs what the list needs', async () => {
  expectProblem(await readCsv(`/v1/tokens/${openTokenId}/contributors`), 401, 'ApiKeyRequired');
  expectProblem(await readCsv(`/v1/tokens/${openTokenId}/claimLinks`), 401, 'ApiKeyRequired');
  expectProblem(await readCsv('/v1/tokens/999999999/owners'), 404, 'TokenNotFound');
});

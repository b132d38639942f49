import type { Owner, Token, WalletToken } from '@badge/protocol';
import {
  newWallet,
  signedBurn,
  signedClaim,
  signedContributors,
  signedToken,
} from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createToken } from '../../src/testing/creations.ts';
import { insertDemoTokens } from '../../src/testing/insert-demo-tokens.ts';
import { createTestServer, startTestService, type TestService } from '../../src/testing/services.ts';

// Two services on one database stand for two processes. Except for the first test, `reader` reads what was
// written through `writer` or by SQL.
let writer: TestService;
let reader: TestService;
beforeAll(async () => {
  writer = await startTestService();
  reader = await startTestService({ BADGE_ROLE: 'api', DATABASE_URL: writer.databaseUrl });
  await insertDemoTokens(writer.databaseUrl, 3, 'small');
});
afterAll(async () => {
  await reader.stop();
  await writer.stop();
});

const readJson = async <Body>(path: string): Promise<Body> =>
  (await (await reader.call(path)).json()) as Body;
const remainingOf = (token: Token | undefined) => token?.claimabilityAttributes.remainingClaimCount;
const LISTS = ['/v1/tokens', '/v1/tokens?order=desc', '/v1/communities/demo/tokens'];

test('responses are stored, and a change by SQL drops them', async () => {
  const { server } = await createTestServer(writer.context);
  onTestFinished(() => server.close());
  const read = async () => (await server.inject('/v1/tokens/1')).json<Token>();
  // `insertDemoTokens` in `beforeAll` has changed the tokens. The service reads this change here. Otherwise
  // `find` would read the change and drop the stored response.
  await writer.context.tokenChanges.catchUp();
  expect((await read()).description).toBe('');
  expect(String(await server.tokenResponses.find('token 1'))).toContain('"tokenId":1');
  await query(writer.databaseUrl, "update tokens set description = 'new' where token_id = 1");
  expect((await read()).description).toBe('new');
});

test('after a claim has succeeded, every response has the new remaining count', async () => {
  const { resourceId: tokenId } = await createToken(writer);
  await query(
    writer.databaseUrl,
    `update tokens set total_claim_count = 100, remaining_claim_count = 100 where token_id = ${tokenId}`,
  );
  for (let claimed = 1; claimed <= 30; claimed += 1) {
    const claimingAddress = `0x${claimed.toString(16).padStart(40, '0')}`;
    const accepted = await writer.call(`/v1/tokens/${tokenId}/claim`, {
      json: { claimingAddress },
      key: writer.apiKey,
    });
    await writer.call(`${accepted.headers.get('location')}?wait=20`);
    expect(remainingOf(await readJson<Token>(`/v1/tokens/${tokenId}`))).toBe(100 - claimed);
    const { data } = await readJson<{ data: Token[] }>('/v1/tokens');
    expect(remainingOf(data.find((token) => token.tokenId === tokenId))).toBe(100 - claimed);
  }
});

test('after a claim or a burn has succeeded, the page of owners is up to date', async () => {
  const wallet = newWallet();
  const allowlist = { isAllowlistRequired: true, totalClaimCount: undefined, contributors: [wallet.address] };
  // Claims of a token with an allowlist do not change the token itself.
  for (const fields of [{}, allowlist]) {
    const { resourceId } = await createToken(writer, await signedToken(fields));
    const tokenId = resourceId ?? 0;
    const path = `/v1/tokens/${tokenId}/owners`;
    const listOwners = async () =>
      (await readJson<{ data: Owner[] }>(path)).data.map(({ address }) => address);
    const send = async (action: 'claim' | 'burn', json: object) => {
      const accepted = await writer.call(`/v1/tokens/${tokenId}/${action}`, { json });
      await writer.call(`${accepted.headers.get('location')}?wait=20`);
    };
    expect(await listOwners()).toEqual([]);
    await send('claim', await signedClaim(tokenId, wallet));
    expect(await listOwners()).toEqual([wallet.address]);
    await send('burn', await signedBurn(tokenId, wallet));
    expect(await listOwners()).toEqual([]);
  }
});

test('after a change of what a wallet holds or can claim, each of its pages is up to date', async () => {
  const [creator, wallet, other] = [newWallet(), newWallet(), newWallet()];
  const body = { isAllowlistRequired: true, totalClaimCount: undefined, contributors: [other.address] };
  const { resourceId } = await createToken(writer, await signedToken(body, creator));
  const tokenId = resourceId ?? 0;
  const path = `/v1/wallets/${wallet.address}/tokens`;
  const send = async (call: string, json: object, key?: string) => {
    const accepted = await writer.call(`/v1/tokens/${tokenId}/${call}`, { json, ...(key && { key }) });
    const settled = await writer.call(`${accepted.headers.get('location')}?wait=20`);
    expect(await settled.json()).toMatchObject({ status: 'success' });
  };
  const { apiKey } = writer;
  const { address } = wallet;
  const expectStatus = async (status: string | undefined) => {
    for (const query of [
      '',
      `?tokenId=${tokenId}`,
      `?claimStatus=${status ?? 'claimed'}`,
      '?communityId=demo',
    ]) {
      const { data } = await readJson<{ data: WalletToken[] }>(path + query);
      expect(data.map(({ claimStatus }) => claimStatus)).toEqual(status === undefined ? [] : [status]);
    }
  };
  const add = await signedContributors(tokenId, creator, [address]);
  const changes = [
    [undefined, () => undefined],
    ['unclaimed', () => send('addContributors', add, apiKey)],
    [undefined, () => send('removeContributors', { contributors: [address] }, apiKey)],
    ['unclaimed', () => send('addContributors', add, apiKey)],
    ['claimed', async () => send('claim', await signedClaim(tokenId, wallet))],
    [undefined, () => send(`owners/${address}/revoke`, { reason: 'error' }, apiKey)],
    ['claimed', () => send(`owners/${address}/reinstate`, { reason: 'right' }, apiKey)],
    [undefined, () => send(`owners/${address}/move`, { toAddress: other.address, reason: 'lost' }, apiKey)],
  ] as const;
  for (const [status, change] of changes) {
    await change();
    await expectStatus(status);
  }
});

test('after a token is created, hidden or shown, every list is up to date', async () => {
  const listIds = async (path: string) =>
    (await readJson<{ data: { tokenId: number }[] }>(path)).data.map(({ tokenId }) => tokenId);
  for (let round = 1; round <= 10; round += 1) {
    const { resourceId: tokenId } = await createToken(writer);
    for (const path of LISTS) expect(await listIds(path)).toContain(tokenId);
    for (const isHidden of [true, false]) {
      const response = await writer.call(`/v1/tokens/${tokenId}`, {
        method: 'PATCH',
        body: JSON.stringify({ isHidden }),
        headers: { 'Content-Type': 'application/json' },
        key: writer.apiKey,
      });
      expect(response.status).toBe(200);
      for (const path of LISTS) expect((await listIds(path)).includes(tokenId ?? 0)).toBe(!isHidden);
    }
  }
});

test('a full page changes when an earlier token is hidden', async () => {
  const listIds = async () =>
    (await readJson<{ data: Token[] }>('/v1/tokens?limit=1&offset=1')).data.map(({ tokenId }) => tokenId);
  expect(await listIds()).toEqual([2]);
  await query(writer.databaseUrl, 'update tokens set is_hidden = true where token_id = 1');
  expect(await listIds()).toEqual([3]);
  await query(writer.databaseUrl, 'update tokens set is_hidden = false where token_id = 1');
  expect(await listIds()).toEqual([2]);
});

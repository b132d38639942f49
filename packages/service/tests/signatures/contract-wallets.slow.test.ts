import type { Operation } from '@badge/protocol';
import { type ContractWallet, deployMinimalWallet } from '@badge/test-support/contract-wallets';
import { newAddress, newWallet, signedToken } from '@badge/test-support/signing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHAIN_ID, contractWalletsFixture, nameOf } from '../../src/testing/contract-wallets-fixture.ts';
import { MISBEHAVIOURS, type RpcProxy, startRpcProxy } from '../../src/testing/rpc-proxy.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

const fixture = contractWalletsFixture();
const { post, createToken, claimWith } = fixture;

describe('without an answer of the chain', () => {
  let failing: RpcProxy;
  let alone: TestService;
  let wallet: ContractWallet;
  beforeAll(async () => {
    failing = await startRpcProxy(fixture.anvil.url);
    alone = await startTestService({ BADGE_CHAIN_RPC_URLS: `${CHAIN_ID}=${failing.url}` });
    wallet = await deployMinimalWallet(fixture.anvil, newWallet());
  });
  afterAll(async () => {
    await alone.stop();
    await failing.stop();
  });

  test.each(Object.entries(MISBEHAVIOURS))(
    'because the endpoint %s, the request fails with 503',
    async (_, how) => {
      failing.misbehave(how);
      const refused = await claimWith(wallet.address, '0x1234', alone);
      expect(await nameOf(refused)).toBe('ChainUnavailable');
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    },
  );
});

describe('no call is sent', () => {
  test('for 1,000 bad claims by addresses that are not listed', async () => {
    const fields = { isAllowlistRequired: true, totalClaimCount: undefined, contributors: [newAddress()] };
    const tokenId = await createToken(fields);
    const names = new Set<unknown>();
    for (let round = 0; round < 20; round += 1) {
      const responses = await Promise.all(
        Array.from({ length: 50 }, () =>
          post(`/v1/tokens/${tokenId}/claim`, { claimingAddress: newAddress(), signature: '0x1234' }),
        ),
      );
      for (const response of responses) names.add(await nameOf(response));
    }
    expect([...names]).toEqual(['AddressNotAllowlisted']);
    expect(fixture.proxy.methods).toEqual([]);
  });
});

test('a caller can let the service ask 120 contracts in a minute, then gets 429', async () => {
  const limited = await startTestService({ BADGE_CHAIN_RPC_URLS: `${CHAIN_ID}=${fixture.proxy.url}` });
  const { address } = await deployMinimalWallet(fixture.anvil, newWallet());
  const created = await limited.call('/v1/tokens', { json: await signedToken(), key: limited.apiKey });
  const operation = await limited.call(`${created.headers.get('location')}?wait=30`);
  const { resourceId } = (await operation.json()) as Operation;
  const responses = await Promise.all(
    Array.from({ length: 140 }, () =>
      limited.call(`/v1/tokens/${resourceId}/claim`, {
        json: { claimingAddress: address, signature: '0x1234' },
      }),
    ),
  );
  const names = await Promise.all(responses.map(nameOf));
  const limitedResponses = responses.filter(({ status }) => status === 429);
  expect(new Set(names)).toEqual(new Set(['NotSignedByClaimer', 'RateLimited']));
  expect(limitedResponses.length).toBeGreaterThanOrEqual(20);
  for (const { headers } of limitedResponses) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  await limited.stop();
});

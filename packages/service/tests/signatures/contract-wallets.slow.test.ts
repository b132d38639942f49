import type { Operation } from '@badge/protocol';
import { deployMinimalWallet } from '@badge/test-support/contract-wallets';
import { newAddress, newWallet, signedToken } from '@badge/test-support/signing';
import { describe, expect, test } from 'vitest';
import { CHAIN_ID, contractWalletsFixture, nameOf } from '../../src/testing/contract-wallets-fixture.ts';
import { startTestService } from '../../src/testing/services.ts';

const fixture = contractWalletsFixture();
const { post, createToken } = fixture;

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

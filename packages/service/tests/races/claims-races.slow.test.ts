import type { Owner } from '@badge/protocol';
import { expect, test } from 'vitest';
import { claimRacesFixture, listAddresses, remainingOf } from '../../src/testing/claim-races-fixture.ts';

const fixture = claimRacesFixture();
const { createToken, claim, list } = fixture;

test('exactly 100 claims succeed if 300 wallets race through two services for a token with 100 claims', async () => {
  const tokenId = await createToken({ totalClaimCount: 100 });
  const addresses = listAddresses(300);
  const outcomes = await Promise.all(
    addresses.map(async (address) => {
      const claims = await Promise.all([
        claim(fixture.firstService, tokenId, address),
        claim(fixture.secondService, tokenId, address),
      ]);
      return claims.map(({ outcome }) => outcome);
    }),
  );
  expect(new Set(outcomes.flat())).toContain('success');
  for (const pair of outcomes) {
    const refusal = pair.includes('success') ? 'ClaimingAddressAlreadyHasToken' : 'NoTokensLeft';
    for (const outcome of pair) expect(['success', refusal]).toContain(outcome);
  }
  const winners = addresses.filter((_, index) => outcomes[index]?.includes('success'));
  expect(winners).toHaveLength(100);
  for (const service of [fixture.firstService, fixture.secondService]) {
    const owners = await list<Owner>(service, `/v1/tokens/${tokenId}/owners`);
    expect(owners.map(({ address }) => address.toLowerCase()).sort()).toEqual(winners);
    expect(await remainingOf(service, tokenId)).toBe(0);
  }
});

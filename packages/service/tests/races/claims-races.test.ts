import type { Contributor, Owner } from '@badge/protocol';
import { newWallet, signTokenId } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { expect, test } from 'vitest';
import {
  claimRacesFixture,
  creator,
  listAddresses,
  operationOf,
  readOutcome,
  remainingOf,
  toAddress,
} from '../../src/testing/claim-races-fixture.ts';

const fixture = claimRacesFixture();
const { post, createToken, claim, countClaims, list } = fixture;

const serviceOf = (index: number) => (index % 2 === 0 ? fixture.firstService : fixture.secondService);

test('claims that are sent during an addition to the allowlist fail before the addition is settled, and succeed after that', async () => {
  const tokenId = await createToken({
    isAllowlistRequired: true,
    totalClaimCount: null,
    contributors: ['nobody'],
  });
  const addresses = listAddresses(60);
  const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
  const refused = await Promise.all(
    addresses.map((address, index) => claim(serviceOf(index), tokenId, address)),
  );
  expect(new Set(refused.map(({ outcome }) => outcome))).toEqual(new Set(['AddressNotAllowlisted']));

  const claimUntilListed = async (address: string, index: number) => {
    let outcome = 'AddressNotAllowlisted';
    while (outcome === 'AddressNotAllowlisted') {
      ({ outcome } = await claim(serviceOf(index), tokenId, address));
    }
    return outcome;
  };
  const addContributors = async (from: number) => {
    const body = { contributors: addresses.slice(from, from + 30), signature };
    const response = await post(serviceOf(from), `/v1/tokens/${tokenId}/addContributors`, body);
    expect((await operationOf(serviceOf(from), response)).status).toBe('success');
    const { outcome } = await claim(serviceOf(from + 1), tokenId, addresses[from] ?? '');
    expect(['success', 'ClaimingAddressAlreadyHasToken']).toContain(outcome);
  };
  // The additions overlap: most addresses are sent twice.
  const [outcomes] = await Promise.all([
    Promise.all(addresses.map(claimUntilListed)),
    Promise.all([0, 15, 30, 45].map(addContributors)),
  ]);
  for (const outcome of outcomes) expect(['success', 'ClaimingAddressAlreadyHasToken']).toContain(outcome);
  const contributors = await list<Contributor>(fixture.secondService, `/v1/tokens/${tokenId}/contributors`);
  expect(contributors.map(({ hasClaimed }) => hasClaimed)).toEqual([false, ...addresses.map(() => true)]);
  expect(await list<Owner>(fixture.firstService, `/v1/tokens/${tokenId}/owners`)).toHaveLength(60);
});

test('if a burn is requested before the claim is settled, the claim is still counted exactly once', async () => {
  const tokenId = await createToken({ totalClaimCount: 30 });
  const wallets = Array.from({ length: 30 }, () => newWallet());
  await Promise.all(
    wallets.map(async (claimer) => {
      const claimingAddress = claimer.address;
      const claimResponse = await post(fixture.firstService, `/v1/tokens/${tokenId}/claim`, {
        claimingAddress,
      });
      const signature = await signTokenId(claimer, 'Burn', tokenId);
      const burnBody = { burningAddress: claimer.address, signature };
      const [, { outcome }] = await Promise.all([
        operationOf(fixture.firstService, claimResponse),
        readOutcome(
          fixture.firstService,
          await post(fixture.firstService, `/v1/tokens/${tokenId}/burn`, burnBody),
        ),
      ]);
      expect(['success', 'TokenNotOwned']).toContain(outcome);
    }),
  );
  expect(await countClaims(tokenId)).toBe(30);
  expect(await remainingOf(fixture.firstService, tokenId)).toBe(0);
});

test('claims that race the expiration of the token succeed if and only if they were accepted before the expiration', async () => {
  const [clock] = await query<{ now: string }>(
    fixture.firstService.databaseUrl,
    'select floor(extract(epoch from clock_timestamp()) * 1000) as now',
  );
  const expirationTimestamp = Number(clock?.now) + 1_500;
  const tokenId = await createToken({ totalClaimCount: 1_000_000, expirationTimestamp });
  let addressCount = 0;
  const results: Awaited<ReturnType<typeof claim>>[] = [];
  /** Claims for one new address after another until the token has expired. */
  const claimUntilExpired = async (_: unknown, index: number) => {
    let outcome = 'success';
    while (outcome === 'success') {
      addressCount += 1;
      const result = await claim(serviceOf(index), tokenId, toAddress(addressCount));
      results.push(result);
      outcome = result.outcome;
    }
  };
  await Promise.all(Array.from({ length: 16 }, claimUntilExpired));

  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['success', 'TokenClaimExpired']));
  for (const { outcome, operation } of results) {
    if (operation === null) continue;
    expect(operation.createdAtTimestamp < expirationTimestamp).toBe(outcome === 'success');
  }
  const successes = results.filter(({ outcome }) => outcome === 'success').length;
  expect(await remainingOf(fixture.secondService, tokenId)).toBe(1_000_000 - successes);
  const lateClaim = await claim(fixture.firstService, tokenId, newWallet().address);
  expect(lateClaim).toEqual({ outcome: 'TokenClaimExpired', operation: null });
});

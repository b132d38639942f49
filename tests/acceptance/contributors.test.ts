import { newAddress, newWallet } from '@badge/test-support/signing';
import { hexlify, randomBytes } from 'ethers';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  addContributors,
  claimWithKey,
  claimWithSignature,
  contributorsOf,
  createAllowlistedToken,
  createOpenToken,
  ENCODINGS,
  expectDone,
  findInWallet,
  postTo,
  signTokenId,
} from './claim-requests.ts';
import { expectAccepted, read, withDemoKey } from './client.ts';
import { describeListing } from './listings.ts';
import { expectPointers, expectProblem } from './problems.ts';

const namesOf = async (tokenId: number, query?: string) =>
  (await contributorsOf(tokenId, query)).map(({ contributor }) => contributor);

describe('the list of contributors', () => {
  const creator = newWallet();
  const wallet = newWallet();
  const contributors = [newAddress(), 'Ada@Example.com', wallet.address, 'ada.eth'];
  let tokenId = 0;
  beforeAll(async () => {
    tokenId = await createAllowlistedToken(contributors, creator);
  });
  describeListing(() => `/v1/tokens/${tokenId}/contributors`, withDemoKey);

  test('has the contributors in the order they were added, and says who has claimed', async () => {
    await expectDone(tokenId, claimWithSignature(tokenId, wallet));
    const address = newAddress();
    await expectDone(tokenId, claimWithKey(tokenId, address, { identifier: 'ada.eth' }));
    expect(await contributorsOf(tokenId)).toStrictEqual([
      { contributor: contributors[0], address: contributors[0], hasClaimed: false },
      { contributor: 'Ada@Example.com', address: null, hasClaimed: false },
      { contributor: wallet.address, address: wallet.address, hasClaimed: true },
      { contributor: 'ada.eth', address, hasClaimed: true },
    ]);
  });

  test('is paged', async () => {
    for (const [offset, contributor] of contributors.entries()) {
      expect(await namesOf(tokenId, `?limit=1&offset=${offset}`)).toEqual([contributor]);
    }
    expect(await namesOf(tokenId, '?limit=2&offset=1')).toEqual(contributors.slice(1, 3));
    expect(await namesOf(tokenId, '?offset=4')).toEqual([]);
  });

  test('is empty for an open token, even if it was created with contributors', async () => {
    expect(await contributorsOf(await createOpenToken({ contributors: [newAddress()] }))).toEqual([]);
  });
});

describe('contributors are added', () => {
  const creator = newWallet();

  test('several times, after the existing ones and without duplicates', async () => {
    const [a, b, c] = [newAddress(), newAddress(), newAddress()];
    const tokenId = await createAllowlistedToken([b, 'ada@example.com'], creator);
    const operation = await expectDone(
      tokenId,
      addContributors(tokenId, creator, [c, b.toLowerCase(), 'bob']),
    );
    expect(operation).toMatchObject({ operationType: 'addContributors', resourceId: tokenId });
    // Case matters for handles, but not for addresses and e-mails. Text is normalized to NFC.
    await expectDone(
      tokenId,
      addContributors(tokenId, creator, ['bob', a, ` ADA@example.com`, 'Bob', a.toLowerCase(), 'cafe\u0301']),
    );
    await expectDone(tokenId, addContributors(tokenId, creator, ['caf\u00e9']));
    expect(await namesOf(tokenId)).toEqual([b, 'ada@example.com', c, 'bob', a, 'Bob', 'caf\u00e9']);
  });

  test('and can claim immediately', async () => {
    const claimer = newWallet();
    const tokenId = await createAllowlistedToken(['nobody'], creator);
    expectProblem(await claimWithSignature(tokenId, claimer), 403, 'AddressNotAllowlisted');
    const added = await expectDone(tokenId, addContributors(tokenId, creator, [claimer.address]));
    const unclaimed = await findInWallet(tokenId, claimer.address);
    expect(unclaimed).toMatchObject({ claimStatus: 'unclaimed' });
    const listedTimestamp = Date.parse(unclaimed?.createdAt ?? '');
    expect(listedTimestamp).toBeGreaterThanOrEqual(added.createdAtTimestamp);
    expect(listedTimestamp).toBeLessThanOrEqual(Number(added.completedAtTimestamp));
    await expectDone(tokenId, claimWithSignature(tokenId, claimer));
    expect(await findInWallet(tokenId, claimer.address)).toMatchObject({ claimStatus: 'claimed' });
  });

  test('without changing contributors who have claimed', async () => {
    const claimer = newWallet();
    const tokenId = await createAllowlistedToken([claimer.address], creator);
    await expectDone(tokenId, claimWithSignature(tokenId, claimer));
    const other = newAddress();
    await expectDone(tokenId, addContributors(tokenId, creator, [other, claimer.address]));
    expect(await contributorsOf(tokenId)).toMatchObject([{ hasClaimed: true }, { hasClaimed: false }]);
    expectProblem(await claimWithSignature(tokenId, claimer), 409, 'ClaimingAddressAlreadyHasToken');
  });

  test('by one operation if they are sent several times, in any order and in upper or lower case', async () => {
    const [a, b] = [newAddress(), newAddress()];
    const tokenId = await createAllowlistedToken(['nobody'], creator);
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    const add = async (contributors: string[], encodedSignature: string | undefined) => {
      const body = { contributors, signature: encodedSignature };
      return expectAccepted(await postTo(tokenId, 'addContributors', body, withDemoKey));
    };
    const [first, second, third, fourth] = ENCODINGS.map(([, encode]) => encode(signature));
    const locations = await Promise.all([
      add([a, b], first),
      add([b, a], second),
      add([a.toLowerCase(), b, a], third),
      add([a, `0x${b.slice(2).toUpperCase()}`], fourth),
    ]);
    expect(new Set(locations).size).toBe(1);
    await read(`${locations[0]}?wait=30`);
    expect(await add([a, b], first)).toBe(locations[0]);
    expect(await add([a], first)).not.toBe(locations[0]);
    expect((await namesOf(tokenId)).sort()).toEqual(['nobody', a, b].sort());
  });

  test('by concurrent requests, without duplicates', async () => {
    const tokenId = await createAllowlistedToken(['nobody'], creator);
    const addresses = Array.from({ length: 12 }, newAddress);
    // Each address is added by two of the requests.
    await Promise.all(
      addresses.map((address, index) =>
        expectDone(
          tokenId,
          addContributors(tokenId, creator, [address, String(addresses.at(index - 1)).toLowerCase()]),
        ),
      ),
    );
    expect((await namesOf(tokenId)).sort()).toEqual(['nobody', ...addresses].sort());
  });

  test('in their order, at most 10,000 in one request', async () => {
    const contributors = Array.from({ length: 10_000 }, () => hexlify(randomBytes(20)));
    const tokenId = await createAllowlistedToken(['nobody'], creator);
    await expectDone(tokenId, addContributors(tokenId, creator, contributors));
    // `nobody` is the contributor at offset 0.
    const page = await namesOf(tokenId, '?limit=1000&offset=9001');
    expect(page.map((contributor) => contributor.toLowerCase())).toEqual(contributors.slice(9000));
    expectPointers(await addContributors(tokenId, creator, [...contributors, newAddress()]), [
      '/contributors',
    ]);
  });

  test('in a body of up to 4 MiB', async () => {
    const tokenId = await createAllowlistedToken(['nobody'], creator);
    const signature = await signTokenId(creator, 'AllowlistedAddress', tokenId);
    const frame = JSON.stringify({ contributors: ['ada'], signature, padding: '' });
    const bodyOf = (sizeBytes: number) =>
      frame.replace('"padding":""', `"padding":"${'p'.repeat(sizeBytes - frame.length)}"`);
    await expectDone(tokenId, postTo(tokenId, 'addContributors', bodyOf(4 * 1024 * 1024), withDemoKey));
    const tooLarge = await postTo(tokenId, 'addContributors', bodyOf(4 * 1024 * 1024 + 1), withDemoKey);
    expectProblem(tooLarge, 413, 'TooLarge');
  });
});

test('contributors are not added to an open token', async () => {
  const creator = newWallet();
  const tokenId = await createOpenToken({}, creator);
  expectProblem(await addContributors(tokenId, creator, [newAddress()]), 409, 'AllowlistMismatch');
});

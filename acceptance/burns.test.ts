import { newAddress, newWallet } from '@badge/test-support/signing';
import { describe, expect, test } from 'vitest';
import {
  allowlistedToken,
  burn,
  claimWithKey,
  claimWithSignature,
  contributorsOf,
  eligibilityOf,
  encodings,
  expectDone,
  inWallet,
  openToken,
  ownersOf,
  postTo,
  remainingOf,
  signTokenId,
} from './claim-requests.ts';
import { expectAccepted, read, withKey } from './client.ts';
import { expectProblem } from './problems.ts';
import type { Operation } from './shapes.ts';

async function claimed(owner = newWallet(), changes = {}) {
  const tokenId = await openToken(changes);
  await expectDone(tokenId, claimWithSignature(tokenId, owner));
  return { tokenId, owner };
}

describe('a burn', () => {
  test('ends in success, as an operation of its own', async () => {
    const { tokenId, owner } = await claimed();
    const operation = await expectDone(tokenId, burn(tokenId, owner));
    expect(operation).toMatchObject({ operationType: 'burn', resourceId: tokenId, error: null });
  });

  test('takes the token from its owner, whose place is not given back', async () => {
    const other = newAddress();
    const { tokenId, owner } = await claimed(newWallet(), { totalClaimCount: 2 });
    await expectDone(tokenId, claimWithKey(tokenId, other));
    await expectDone(tokenId, burn(tokenId, owner));
    expect(await remainingOf(tokenId)).toBe(0);
    expect(await ownersOf(tokenId)).toMatchObject([{ address: other }]);
    expect(await inWallet(tokenId, owner.address)).toBeUndefined();
    expectProblem(await claimWithKey(tokenId, newAddress()), 409, 'NoTokensLeft');
  });

  test('is for good: the token is not claimed nor airdropped again', async () => {
    const { tokenId, owner } = await claimed();
    await expectDone(tokenId, burn(tokenId, owner));
    const name = 'ClaimingAddressAlreadyHasToken';
    expectProblem(await claimWithSignature(tokenId, owner), 409, name);
    expectProblem(await claimWithKey(tokenId, owner.address), 409, name);
    expectProblem(await postTo(tokenId, 'airdrop', { address: owner.address }, withKey), 409, name);
    expect((await eligibilityOf(tokenId, owner.address)).reasons).toEqual([name]);
    expectProblem(await burn(tokenId, owner), 409, 'TokenNotOwned');
    expect(await remainingOf(tokenId)).toBe(9);
  });

  test('of an allowlisted token leaves the contributor as one that has claimed, and no unclaimed token', async () => {
    const owner = newWallet();
    const tokenId = await allowlistedToken([owner.address]);
    await expectDone(tokenId, claimWithSignature(tokenId, owner));
    await expectDone(tokenId, burn(tokenId, owner));
    expect(await inWallet(tokenId, owner.address)).toBeUndefined();
    expect(await ownersOf(tokenId)).toEqual([]);
    expect(await contributorsOf(tokenId)).toMatchObject([{ address: owner.address, hasClaimed: true }]);
  });

  test('works on what was airdropped', async () => {
    const owner = newWallet();
    const tokenId = await openToken();
    await expectDone(tokenId, postTo(tokenId, 'airdrop', { address: owner.address }, withKey));
    await expectDone(tokenId, burn(tokenId, owner));
    expect(await ownersOf(tokenId)).toEqual([]);
  });

  test('needs no key and ignores one', async () => {
    const { tokenId, owner } = await claimed();
    const signature = await signTokenId(owner, 'Burn', tokenId);
    const body = { burningAddress: owner.address.toLowerCase(), signature, unknown: 1 };
    await expectDone(tokenId, postTo(tokenId, 'burn/', body, { 'X-API-Key': 'wrong' }));
  });

  test.each([0, 1, 2, 3])('takes encoding %i of its signature', async (index) => {
    const { tokenId, owner } = await claimed();
    const signature = encodings(await signTokenId(owner, 'Burn', tokenId))[index];
    await expectDone(tokenId, burn(tokenId, owner, { signature }));
  });

  test('30 times at once is one operation', async () => {
    const { tokenId, owner } = await claimed();
    const answers = await Promise.all(Array.from({ length: 30 }, () => burn(tokenId, owner)));
    for (const answer of answers.filter(({ status }) => status !== 202)) {
      expectProblem(answer, 409, 'TokenNotOwned');
    }
    const locations = new Set(answers.filter(({ status }) => status === 202).map(expectAccepted));
    expect(locations.size).toBe(1);
    expect(await read<Operation>(`${[...locations].join()}?wait=30`)).toMatchObject({ status: 'success' });
  });
});

describe('a burn is refused', () => {
  const stranger = newWallet();

  test('to who never held the token', async () => {
    const { tokenId } = await claimed();
    expectProblem(await burn(tokenId, stranger), 409, 'TokenNotOwned');
  });

  test('to who is allowlisted and has not claimed', async () => {
    const tokenId = await allowlistedToken([stranger.address]);
    expectProblem(await burn(tokenId, stranger), 409, 'TokenNotOwned');
    expect(await inWallet(tokenId, stranger.address)).toMatchObject({ claimStatus: 'unclaimed' });
  });
});

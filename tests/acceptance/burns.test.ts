import { newAddress, newWallet } from '@badge/test-support/signing';
import { describe, expect, test } from 'vitest';
import {
  burn,
  claimWithKey,
  claimWithSignature,
  contributorsOf,
  createAllowlistedToken,
  createOpenToken,
  ENCODINGS,
  eligibilityOf,
  expectDone,
  expectOneOperation,
  findInWallet,
  ownersOf,
  postTo,
  remainingOf,
  signTokenId,
} from './claim-requests.ts';
import { withDemoKey } from './client.ts';
import { expectProblem } from './problems.ts';

async function createClaimedToken(owner = newWallet(), changes = {}) {
  const tokenId = await createOpenToken(changes);
  await expectDone(tokenId, claimWithSignature(tokenId, owner));
  return { tokenId, owner };
}

describe('a burn', () => {
  test('is an operation that ends in success', async () => {
    const { tokenId, owner } = await createClaimedToken();
    const operation = await expectDone(tokenId, burn(tokenId, owner));
    expect(operation).toMatchObject({ operationType: 'burn', resourceId: tokenId, error: null });
  });

  test('takes the token from its owner and does not increase the remaining count', async () => {
    const other = newAddress();
    const { tokenId, owner } = await createClaimedToken(newWallet(), { totalClaimCount: 2 });
    await expectDone(tokenId, claimWithKey(tokenId, other));
    await expectDone(tokenId, burn(tokenId, owner));
    expect(await remainingOf(tokenId)).toBe(0);
    expect(await ownersOf(tokenId)).toMatchObject([{ address: other }]);
    expect(await findInWallet(tokenId, owner.address)).toBeUndefined();
    expectProblem(await claimWithKey(tokenId, newAddress()), 409, 'NoTokensLeft');
  });

  test('is final: the address cannot claim the token or receive it again', async () => {
    const { tokenId, owner } = await createClaimedToken();
    await expectDone(tokenId, burn(tokenId, owner));
    const name = 'ClaimingAddressAlreadyHasToken';
    expectProblem(await claimWithSignature(tokenId, owner), 409, name);
    expectProblem(await claimWithKey(tokenId, owner.address), 409, name);
    expectProblem(await postTo(tokenId, 'airdrop', { address: owner.address }, withDemoKey), 409, name);
    expect((await eligibilityOf(tokenId, owner.address)).reasons).toEqual([name]);
    expectProblem(await burn(tokenId, owner), 409, 'TokenNotOwned');
    expect(await remainingOf(tokenId)).toBe(9);
  });

  test('of an allowlisted token removes it from the wallet, and the contributor keeps `hasClaimed: true`', async () => {
    const owner = newWallet();
    const tokenId = await createAllowlistedToken([owner.address]);
    await expectDone(tokenId, claimWithSignature(tokenId, owner));
    await expectDone(tokenId, burn(tokenId, owner));
    expect(await findInWallet(tokenId, owner.address)).toBeUndefined();
    expect(await ownersOf(tokenId)).toEqual([]);
    expect(await contributorsOf(tokenId)).toMatchObject([{ address: owner.address, hasClaimed: true }]);
  });

  test('works for an airdropped token', async () => {
    const owner = newWallet();
    const tokenId = await createOpenToken();
    await expectDone(tokenId, postTo(tokenId, 'airdrop', { address: owner.address }, withDemoKey));
    await expectDone(tokenId, burn(tokenId, owner));
    expect(await ownersOf(tokenId)).toEqual([]);
  });

  test('needs no key, and ignores a wrong key, an unknown field and a trailing slash', async () => {
    const { tokenId, owner } = await createClaimedToken();
    const signature = await signTokenId(owner, 'Burn', tokenId);
    const body = { burningAddress: owner.address.toLowerCase(), signature, unknown: 1 };
    await expectDone(tokenId, postTo(tokenId, 'burn/', body, { 'X-API-Key': 'wrong' }));
  });

  test.each(ENCODINGS)('accepts a signature %s', async (_name, encode) => {
    const { tokenId, owner } = await createClaimedToken();
    const signature = encode(await signTokenId(owner, 'Burn', tokenId));
    await expectDone(tokenId, burn(tokenId, owner, { signature }));
  });

  test('that is sent 30 times concurrently is one operation', async () => {
    const { tokenId, owner } = await createClaimedToken();
    await expectOneOperation(30, 'TokenNotOwned', () => burn(tokenId, owner));
  });
});

describe('a burn is rejected', () => {
  const stranger = newWallet();

  test('for an address that never had the token', async () => {
    const { tokenId } = await createClaimedToken();
    expectProblem(await burn(tokenId, stranger), 409, 'TokenNotOwned');
  });

  test('for a contributor that has not claimed', async () => {
    const tokenId = await createAllowlistedToken([stranger.address]);
    expectProblem(await burn(tokenId, stranger), 409, 'TokenNotOwned');
    expect(await findInWallet(tokenId, stranger.address)).toMatchObject({ claimStatus: 'unclaimed' });
  });
});

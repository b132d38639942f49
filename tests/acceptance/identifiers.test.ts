import { newAddress, newWallet } from '@badge/test-support/signing';
import { describe, expect, test } from 'vitest';
import {
  burn,
  claimWithKey,
  contributorsOf,
  createAllowlistedToken,
  createOpenToken,
  eligibilityOf,
  expectDone,
  findInWallet,
  outcomeOf,
  ownersOf,
  postTo,
  remainingOf,
  signTokenId,
} from './claim-requests.ts';
import { withDemoKey } from './client.ts';
import { expectProblem } from './problems.ts';

describe("an identifier is claimed with the community's key", () => {
  test.each([
    ['an e-mail in another case', 'Ada@Example.com', ' aDA@eXAMPLE.COM'],
    ['an ENS name', 'ada.eth', 'ada.eth'],
    ['a handle with surrounding white space', '@ada', ' @ada\t'],
    ['a name in NFD', 'Zo\u00eb', 'Zoe\u0308'],
    ['an e-mail with sigmas', 'νικος@example.gr', 'ΝΙΚΟΣ@example.gr'],
    ['an e-mail whose local part ends in σ instead of the final ς', 'ΣΟΦΟΣ@example.gr', 'σοφοσ@example.gr'],
    ['41 hex digits', 'a'.repeat(41), 'a'.repeat(41)],
    ['a name of 256 non-ASCII characters', '🎖'.repeat(256), '🎖'.repeat(256)],
  ])('%s', async (_title, contributor, identifier) => {
    const tokenId = await createAllowlistedToken([contributor]);
    const address = newAddress();
    await expectDone(tokenId, claimWithKey(tokenId, address, { identifier }));
    expect(await ownersOf(tokenId)).toMatchObject([{ address }]);
    expect(await findInWallet(tokenId, address)).toMatchObject({ claimStatus: 'claimed' });
    expect(await contributorsOf(tokenId)).toEqual([{ contributor, address, hasClaimed: true }]);
  });
});

describe('an identifier is rejected', () => {
  test('without the key, because only the community can confirm identifiers', async () => {
    const tokenId = await createAllowlistedToken(['ada']);
    const claimer = newWallet();
    const signature = await signTokenId(claimer, 'Claim', tokenId);
    const body = { claimingAddress: claimer.address, signature, identifier: 'ada' };
    expectProblem(await postTo(tokenId, 'claim', body), 401, 'ApiKeyRequired');
    await expectDone(tokenId, postTo(tokenId, 'claim', body, withDemoKey));
  });

  test('if it is not listed, or is listed in another case', async () => {
    const tokenId = await createAllowlistedToken(['ada']);
    for (const identifier of ['bob', 'Ada', 'a da', 'ada@example.com']) {
      const response = await claimWithKey(tokenId, newAddress(), { identifier });
      expectProblem(response, 403, 'AddressNotAllowlisted');
    }
    expectProblem(await claimWithKey(tokenId, newAddress()), 403, 'AddressNotAllowlisted');
  });

  test('if it or the claiming address has claimed before, even after a burn', async () => {
    const tokenId = await createAllowlistedToken(['ada', 'bob']);
    const first = newWallet();
    await expectDone(tokenId, claimWithKey(tokenId, first.address, { identifier: 'ada' }));
    const name = 'ClaimingAddressAlreadyHasToken';
    expectProblem(await claimWithKey(tokenId, newAddress(), { identifier: 'ada' }), 409, name);
    expectProblem(await claimWithKey(tokenId, first.address, { identifier: 'bob' }), 409, name);
    await expectDone(tokenId, burn(tokenId, first));
    expectProblem(await claimWithKey(tokenId, newAddress(), { identifier: 'ada' }), 409, name);
    await expectDone(tokenId, claimWithKey(tokenId, newAddress(), { identifier: 'bob' }));
  });

  test('without the signature that the token requires', async () => {
    const tokenId = await createAllowlistedToken(['ada'], newWallet(), { isSignatureRequired: true });
    const claimer = newWallet();
    const fields = { identifier: 'ada' };
    expectProblem(await claimWithKey(tokenId, claimer.address, fields), 400, 'SignatureRequired');
    const signature = await signTokenId(claimer, 'Claim', tokenId);
    await expectDone(tokenId, claimWithKey(tokenId, claimer.address, { ...fields, signature }));
  });
});

test('the claim of a listed address does not use up the identifier that is sent with it', async () => {
  const listed = newAddress();
  const tokenId = await createAllowlistedToken([listed, 'ada']);
  await expectDone(tokenId, claimWithKey(tokenId, listed, { identifier: 'ada' }));
  expect(await contributorsOf(tokenId)).toMatchObject([{ hasClaimed: true }, { hasClaimed: false }]);
  await expectDone(tokenId, claimWithKey(tokenId, newAddress(), { identifier: 'ada' }));
  expect(await contributorsOf(tokenId)).toMatchObject([{ hasClaimed: true }, { hasClaimed: true }]);
});

test('an identifier that contains an address does not make that address eligible or list the token in its wallet', async () => {
  const address = newAddress();
  const tokenId = await createAllowlistedToken([`@${address}`, 'ada']);
  expect((await eligibilityOf(tokenId, address)).reasons).toEqual(['AddressNotAllowlisted']);
  expect(await findInWallet(tokenId, address)).toBeUndefined();
});

test('an open token ignores the identifier of a claim', async () => {
  const tokenId = await createOpenToken();
  for (const address of [newAddress(), newAddress()]) {
    await expectDone(tokenId, claimWithKey(tokenId, address, { identifier: 'ada' }));
  }
  expect(await remainingOf(tokenId)).toBe(8);
});

test('when 20 wallets race for one identifier, one claim succeeds', async () => {
  const tokenId = await createAllowlistedToken(['ada']);
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => outcomeOf(claimWithKey(tokenId, newAddress(), { identifier: 'ada' }))),
  );
  expect(outcomes.filter((outcome) => outcome === 'success')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'ClaimingAddressAlreadyHasToken')).toHaveLength(19);
  expect(await ownersOf(tokenId)).toHaveLength(1);
});

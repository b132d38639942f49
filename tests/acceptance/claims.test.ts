import { newAddress, newWallet } from '@badge/test-support/signing';
import { describe, expect, test } from 'vitest';
import {
  claimWithKey,
  claimWithSignature,
  createAllowlistedToken,
  createOpenToken,
  ENCODINGS,
  expectDone,
  expectOneOperation,
  findInWallet,
  outcomeOf,
  ownersOf,
  postTo,
  remainingOf,
  signTokenId,
} from './claim-requests.ts';
import { apiKey, call, demoCommunityId, withDemoKey } from './client.ts';
import { expectPointers, expectProblem } from './problems.ts';

const unknownTokenId = 9_000_000_000_000_000;

describe('a token that requires no signature is claimed', () => {
  test('with a signature only', async () => {
    const tokenId = await createOpenToken();
    const claimer = newWallet();
    await expectDone(tokenId, claimWithSignature(tokenId, claimer));
    expect(await ownersOf(tokenId)).toMatchObject([{ address: claimer.address }]);
  });

  test("with the community's key only", async () => {
    const tokenId = await createOpenToken();
    const address = newAddress();
    await expectDone(tokenId, claimWithKey(tokenId, address));
    expect(await ownersOf(tokenId)).toMatchObject([{ address }]);
  });

  test('with a signature and the key', async () => {
    const tokenId = await createOpenToken();
    const claimer = newWallet();
    const signature = await signTokenId(claimer, 'Claim', tokenId);
    await expectDone(tokenId, claimWithKey(tokenId, claimer.address, { signature }));
  });

  test.each([
    ['Bearer', { Authorization: `Bearer ${apiKey}` }],
    ['Basic', { Authorization: `Basic ${Buffer.from(`${demoCommunityId}:${apiKey}`).toString('base64')}` }],
  ])('with the key as %s', async (_scheme, headers) => {
    const tokenId = await createOpenToken();
    const body = { claimingAddress: newAddress() };
    await expectDone(tokenId, postTo(tokenId, 'claim', body, headers));
  });

  test('with null and unknown fields, which are ignored', async () => {
    const tokenId = await createOpenToken();
    const fields = { signature: null, identifier: null, address: 5, unknown: {} };
    await expectDone(tokenId, claimWithKey(tokenId, newAddress(), fields));
  });

  test('at a path with a trailing slash', async () => {
    const tokenId = await createOpenToken();
    await expectDone(tokenId, postTo(tokenId, 'claim/', { claimingAddress: newAddress() }, withDemoKey));
  });

  test('by an address in upper or lower case, which is returned with its checksum', async () => {
    const tokenId = await createOpenToken();
    const [one, two, three] = [newAddress(), newAddress(), newWallet()];
    await expectDone(tokenId, claimWithKey(tokenId, one.toLowerCase()));
    await expectDone(tokenId, claimWithKey(tokenId, `0x${two.slice(2).toUpperCase()}`));
    const claimingAddress = three.address.toLowerCase();
    await expectDone(tokenId, claimWithSignature(tokenId, three, { claimingAddress }));
    expect((await ownersOf(tokenId)).map(({ address }) => address)).toEqual([one, two, three.address]);
  });

  test('while it is hidden', async () => {
    const tokenId = await createOpenToken();
    const headers = { ...withDemoKey, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ isHidden: true });
    expect((await call(`/v1/tokens/${tokenId}`, { method: 'PATCH', headers, body })).status).toBe(200);
    const claimer = newWallet();
    await expectDone(tokenId, claimWithSignature(tokenId, claimer));
    expect(await findInWallet(tokenId, claimer.address)).toMatchObject({ claimStatus: 'claimed' });
  });
});

describe('a token that requires a signature', () => {
  test.each(ENCODINGS)('is claimed with a signature %s', async (_name, encode) => {
    const tokenId = await createOpenToken({ isSignatureRequired: true });
    const claimer = newWallet();
    const signature = encode(await signTokenId(claimer, 'Claim', tokenId));
    await expectDone(tokenId, claimWithSignature(tokenId, claimer, { signature }));
  });

  test('is claimed with the signature, with or without a key', async () => {
    const tokenId = await createOpenToken({ isSignatureRequired: true });
    const [one, two] = [newWallet(), newWallet()];
    await expectDone(tokenId, claimWithSignature(tokenId, one));
    const signature = await signTokenId(two, 'Claim', tokenId);
    await expectDone(tokenId, claimWithKey(tokenId, two.address, { signature }));
  });

  test.each([
    ['with the key', withDemoKey],
    ['without a key', {}],
  ])('is not claimed without the signature, %s', async (_title, headers) => {
    const tokenId = await createOpenToken({ isSignatureRequired: true });
    const body = { claimingAddress: newAddress() };
    expectProblem(await postTo(tokenId, 'claim', body, headers), 400, 'SignatureRequired');
    expect(await remainingOf(tokenId)).toBe(10);
  });
});

test('the operation of a claim has the id of the token, and the times of its acceptance and completion', async () => {
  const tokenId = await createOpenToken();
  const operation = await expectDone(tokenId, claimWithKey(tokenId, newAddress()));
  expect(operation).toStrictEqual({
    operationId: expect.any(String),
    operationType: 'claim',
    status: 'success',
    resourceId: tokenId,
    txHash: null,
    error: null,
    warnings: [],
    createdAtTimestamp: expect.any(Number),
    completedAtTimestamp: expect.any(Number),
  });
  expect(operation.completedAtTimestamp).toBeGreaterThanOrEqual(operation.createdAtTimestamp);
  const [owner] = await ownersOf(tokenId);
  expect(owner?.claimedAtTimestamp).toBeGreaterThanOrEqual(operation.createdAtTimestamp);
});

describe('the limit of one claim per address', () => {
  test('a second claim is rejected', async () => {
    const tokenId = await createOpenToken();
    const claimer = newWallet();
    await expectDone(tokenId, claimWithSignature(tokenId, claimer));
    for (const again of [
      await claimWithSignature(tokenId, claimer),
      await claimWithKey(tokenId, claimer.address),
      await claimWithKey(tokenId, claimer.address.toLowerCase()),
    ]) {
      expectProblem(again, 409, 'ClaimingAddressAlreadyHasToken');
    }
    expect(await remainingOf(tokenId)).toBe(9);
    expect(await ownersOf(tokenId)).toHaveLength(1);
  });

  test('an address can claim several tokens', async () => {
    const claimer = newWallet();
    const tokenIds = await Promise.all([createOpenToken(), createOpenToken(), createOpenToken()]);
    await Promise.all(tokenIds.map((tokenId) => expectDone(tokenId, claimWithSignature(tokenId, claimer))));
    for (const tokenId of tokenIds) {
      expect(await findInWallet(tokenId, claimer.address)).toMatchObject({ claimStatus: 'claimed' });
    }
  });

  test('the same claim sent 50 times concurrently is one operation and one claim', async () => {
    const tokenId = await createOpenToken();
    const claimer = newWallet();
    const signature = await signTokenId(claimer, 'Claim', tokenId);
    const body = { claimingAddress: claimer.address, signature };
    await expectOneOperation(50, 'ClaimingAddressAlreadyHasToken', () => postTo(tokenId, 'claim', body));
    expect(await remainingOf(tokenId)).toBe(9);
    expect(await ownersOf(tokenId)).toHaveLength(1);
  });
});

describe('the remaining count', () => {
  test('is 0 after the last claim', async () => {
    const tokenId = await createOpenToken({ totalClaimCount: 2 });
    await expectDone(tokenId, claimWithKey(tokenId, newAddress()));
    expect(await remainingOf(tokenId)).toBe(1);
    await expectDone(tokenId, claimWithKey(tokenId, newAddress()));
    expect(await remainingOf(tokenId)).toBe(0);
    expectProblem(await claimWithKey(tokenId, newAddress()), 409, 'NoTokensLeft');
    expectProblem(await claimWithSignature(tokenId, newWallet()), 409, 'NoTokensLeft');
    expect(await remainingOf(tokenId)).toBe(0);
  });

  test('is exact when 120 wallets claim at the same time and 40 claims are left', async () => {
    const tokenId = await createOpenToken({ totalClaimCount: 40 });
    const wallets = Array.from({ length: 120 }, newWallet);
    const outcomes = await Promise.all(
      wallets.map((wallet, index) =>
        outcomeOf(
          index % 2 === 0 ? claimWithSignature(tokenId, wallet) : claimWithKey(tokenId, wallet.address),
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'success')).toHaveLength(40);
    expect(outcomes.filter((outcome) => outcome === 'NoTokensLeft')).toHaveLength(80);
    expect(await remainingOf(tokenId)).toBe(0);
    const winners = wallets.filter((_, index) => outcomes[index] === 'success');
    const owners = (await ownersOf(tokenId)).map(({ address }) => address);
    expect(owners.sort()).toEqual(winners.map(({ address }) => address).sort());
  });

  test('of an allowlisted token is null', async () => {
    const claimer = newWallet();
    const tokenId = await createAllowlistedToken([claimer.address]);
    await expectDone(tokenId, claimWithSignature(tokenId, claimer));
    expect(await remainingOf(tokenId)).toBeNull();
  });
});

test('a claim is checked in this order: the key if one is sent, body, token, signature or key, state', async () => {
  const tokenId = await createOpenToken({ expirationTimestamp: 1 });
  const claimingAddress = newAddress();
  const signature = await signTokenId(newWallet(), 'Claim', tokenId);
  const post = (id: number, fields: object, headers = {}) =>
    postTo(id, 'claim', { claimingAddress, ...fields }, headers);
  const wrongBody = { claimingAddress: 'x', signature: '0x' };
  expectProblem(await post(unknownTokenId, wrongBody, { 'X-API-Key': 'wrong' }), 401, 'InvalidApiKey');
  expectPointers(await post(unknownTokenId, wrongBody, withDemoKey), ['/claimingAddress']);
  expectProblem(await post(unknownTokenId, { signature: '0x' }, withDemoKey), 404, 'TokenNotFound');
  expectProblem(await post(tokenId, { signature: '0x' }), 400, 'InvalidSignature');
  expectProblem(await post(tokenId, { signature }), 403, 'NotSignedByClaimer');
  expectProblem(await post(tokenId, {}), 401, 'ApiKeyOrSignatureRequired');
  expectProblem(await post(tokenId, {}, withDemoKey), 409, 'TokenClaimExpired');
});

import { newAddress } from '@badge/test-support/signing';
import { describe, expect, test } from 'vitest';
import {
  claimWithKey,
  createAllowlistedToken,
  createOpenToken,
  expectDone,
  expectOneOperation,
  findInWallet,
  outcomeOf,
  ownersOf,
  postTo,
  remainingOf,
  withWrongChecksum,
} from './claim-requests.ts';
import { withDemoKey } from './client.ts';
import { expectPointers, expectProblem } from './problems.ts';

const airdrop = (tokenId: number, address: unknown, headers: Record<string, string> = withDemoKey) =>
  postTo(tokenId, 'airdrop', { address }, headers);

describe('an airdrop', () => {
  test('gives an open token to an address without its signature', async () => {
    const tokenId = await createOpenToken({ isSignatureRequired: true });
    const address = newAddress();
    const operation = await expectDone(tokenId, airdrop(tokenId, address));
    expect(operation).toMatchObject({ operationType: 'airdrop', resourceId: tokenId });
    expect(await ownersOf(tokenId)).toMatchObject([{ address }]);
    expect(await findInWallet(tokenId, address)).toMatchObject({ claimStatus: 'claimed' });
    expect(await remainingOf(tokenId)).toBe(9);
  });

  test('is rejected if the address has received or claimed the token before, and prevents a later claim', async () => {
    const tokenId = await createOpenToken();
    const [receiver, claimer] = [newAddress(), newAddress()];
    await expectDone(tokenId, airdrop(tokenId, receiver));
    await expectDone(tokenId, claimWithKey(tokenId, claimer));
    for (const response of [
      await airdrop(tokenId, receiver),
      await airdrop(tokenId, receiver.toLowerCase()),
      await claimWithKey(tokenId, receiver),
      await airdrop(tokenId, claimer),
    ]) {
      expectProblem(response, 409, 'ClaimingAddressAlreadyHasToken');
    }
    expect(await remainingOf(tokenId)).toBe(8);
  });

  test('uses up one claim of the total count', async () => {
    const tokenId = await createOpenToken({ totalClaimCount: 1 });
    await expectDone(tokenId, airdrop(tokenId, newAddress()));
    expectProblem(await airdrop(tokenId, newAddress()), 409, 'NoTokensLeft');
    expectProblem(await claimWithKey(tokenId, newAddress()), 409, 'NoTokensLeft');
  });

  test('that is sent 20 times concurrently is one operation', async () => {
    const tokenId = await createOpenToken();
    const address = newAddress();
    await expectOneOperation(20, 'ClaimingAddressAlreadyHasToken', () => airdrop(tokenId, address));
  });

  test('does not exceed the total count when claims are sent at the same time', async () => {
    const tokenId = await createOpenToken({ totalClaimCount: 7 });
    const addresses = Array.from({ length: 10 }, newAddress);
    const outcomes = await Promise.all(
      addresses.flatMap((address) => [
        outcomeOf(airdrop(tokenId, address)),
        outcomeOf(claimWithKey(tokenId, address)),
      ]),
    );
    const refusals = outcomes.filter((outcome) => outcome !== 'success');
    expect(refusals).toHaveLength(2 * addresses.length - 7);
    for (const name of refusals) expect(['NoTokensLeft', 'ClaimingAddressAlreadyHasToken']).toContain(name);
    expect(await ownersOf(tokenId)).toHaveLength(7);
    expect(await remainingOf(tokenId)).toBe(0);
  });
});

describe('an airdrop is rejected if', () => {
  test('the token has an allowlist, even if the address is on it', async () => {
    const address = newAddress();
    const tokenId = await createAllowlistedToken([address]);
    expectProblem(await airdrop(tokenId, address), 409, 'AllowlistMismatch');
    expectProblem(await airdrop(tokenId, newAddress()), 409, 'AllowlistMismatch');
  });

  test('the token has expired', async () => {
    const tokenId = await createOpenToken({ expirationTimestamp: 1 });
    expectProblem(await airdrop(tokenId, newAddress()), 409, 'TokenClaimExpired');
  });

  test('the address has a wrong checksum, because the badge would be lost', async () => {
    const tokenId = await createOpenToken();
    const address = newAddress();
    expectPointers(await airdrop(tokenId, withWrongChecksum(address)), ['/address']);
    // By chance, `mixed` can be the address itself.
    const mixed = `0x${address.slice(2, 21).toLowerCase()}${address.slice(21).toUpperCase()}`;
    if (mixed !== address) expectPointers(await airdrop(tokenId, mixed), ['/address']);
    expect(await ownersOf(tokenId)).toEqual([]);
    await expectDone(tokenId, airdrop(tokenId, address));
    await expectDone(tokenId, airdrop(tokenId, newAddress().toLowerCase()));
    await expectDone(tokenId, airdrop(tokenId, `0x${newAddress().slice(2).toUpperCase()}`));
  });
});

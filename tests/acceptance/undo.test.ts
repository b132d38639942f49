import { newAddress, newWallet } from '@badge/test-support/signing';
import { describe, expect, test } from 'vitest';
import {
  addContributors,
  burn,
  checkClaimCode,
  claimLinksOf,
  claimWithCode,
  claimWithKey,
  claimWithSignature,
  contributorsOf,
  createAllowlistedToken,
  createClaimLink,
  createOpenToken,
  eligibilityOf,
  expectDone,
  expectOneOperation,
  findInWallet,
  outcomeOf,
  ownersOf,
  postTo,
  remainingOf,
} from './claim-requests.ts';
import { call, read, withDemoKey } from './client.ts';
import { asOperator, operatorOnly } from './operator.ts';
import { expectProblem } from './problems.ts';
import type { Page } from './shapes.ts';

interface OwnerState {
  tokenId: number;
  address: string;
  status: 'held' | 'burnt' | 'revoked' | 'moved' | 'replaced' | 'expired';
  claimedAtTimestamp: number;
  statusChangedAtTimestamp: number;
  validUntilTimestamp: number | null;
}

const REASON = 'Given to the wrong person.';
const readOwner = (tokenId: number, address: string) =>
  read<OwnerState>(`/v1/tokens/${tokenId}/owners/${address}`);
const revoke = (tokenId: number, address: string, headers = withDemoKey) =>
  postTo(tokenId, `owners/${address}/revoke`, { reason: REASON }, headers);
const reinstate = (tokenId: number, address: string) =>
  postTo(tokenId, `owners/${address}/reinstate`, { reason: REASON }, withDemoKey);
const move = (tokenId: number, address: string, toAddress: string) =>
  postTo(tokenId, `owners/${address}/move`, { toAddress, reason: REASON }, withDemoKey);
const removeContributors = (tokenId: number, contributors: unknown) =>
  postTo(tokenId, 'removeContributors', { contributors }, withDemoKey);

async function createOwnedToken(owner = newWallet()) {
  const tokenId = await createOpenToken();
  await expectDone(tokenId, claimWithKey(tokenId, owner.address));
  return { tokenId, owner, address: owner.address as string };
}

describe('GET …/owners/:address', () => {
  test('says that an address holds a token, and since when', async () => {
    const { tokenId, address } = await createOwnedToken();
    const [listed] = await ownersOf(tokenId);
    expect(await readOwner(tokenId, address.toLowerCase())).toStrictEqual({
      tokenId,
      address,
      status: 'held',
      claimedAtTimestamp: listed?.claimedAtTimestamp,
      statusChangedAtTimestamp: listed?.claimedAtTimestamp,
      validUntilTimestamp: null,
    });
  });

  test('says that an address has burnt it', async () => {
    const { tokenId, owner, address } = await createOwnedToken();
    const { claimedAtTimestamp } = await readOwner(tokenId, address);
    await expectDone(tokenId, burn(tokenId, owner));
    const burnt = await readOwner(tokenId, address);
    expect(burnt).toMatchObject({ status: 'burnt', claimedAtTimestamp });
    expect(burnt.statusChangedAtTimestamp).toBeGreaterThanOrEqual(claimedAtTimestamp);
  });

  test('returns 404 for an address that has never had it, and 400 for a malformed one', async () => {
    const { tokenId } = await createOwnedToken();
    expectProblem(await call(`/v1/tokens/${tokenId}/owners/${newAddress()}`), 404, 'OwnerNotFound');
    expectProblem(await call(`/v1/tokens/${tokenId}/owners/0x1`), 400, 'InvalidRequest');
    expectProblem(await call(`/v1/tokens/0/owners/${newAddress()}`), 404, 'TokenNotFound');
  });
});

describe('a revocation', () => {
  test('takes the token away, and the place is not given back', async () => {
    const { tokenId, address, owner } = await createOwnedToken();
    const other = newAddress();
    await expectDone(tokenId, claimWithKey(tokenId, other));
    const operation = await expectDone(tokenId, revoke(tokenId, address));
    expect(operation).toMatchObject({ operationType: 'revoke', resourceId: tokenId, error: null });
    expect(JSON.stringify(operation)).not.toContain(REASON);
    expect(await remainingOf(tokenId)).toBe(8);
    expect(await ownersOf(tokenId)).toMatchObject([{ address: other }]);
    expect(await findInWallet(tokenId, address)).toBeUndefined();
    expect(await readOwner(tokenId, address)).toMatchObject({ status: 'revoked' });
    const name = 'ClaimingAddressAlreadyHasToken';
    expect(await eligibilityOf(tokenId, address)).toMatchObject({ reasons: [name], ownership: 'revoked' });
    expectProblem(await claimWithSignature(tokenId, owner), 409, name);
    expectProblem(await postTo(tokenId, 'airdrop', { address }, withDemoKey), 409, name);
    expectProblem(await revoke(tokenId, address), 409, 'TokenNotOwned');
    expectProblem(await burn(tokenId, owner), 409, 'TokenNotOwned');
    expectProblem(await move(tokenId, address, newAddress()), 409, 'TokenNotOwned');
  });

  test('can be undone and repeated, also without an Idempotency-Key', async () => {
    const { tokenId, address } = await createOwnedToken();
    const before = await readOwner(tokenId, address);
    expectProblem(await reinstate(tokenId, address), 409, 'TokenNotRevoked');
    const first = await expectDone(tokenId, revoke(tokenId, address));
    await expectDone(tokenId, reinstate(tokenId, address));
    const held = await readOwner(tokenId, address);
    expect(held).toMatchObject({ status: 'held', claimedAtTimestamp: before.claimedAtTimestamp });
    expect(held.statusChangedAtTimestamp).toBeGreaterThanOrEqual(before.statusChangedAtTimestamp);
    expect(await ownersOf(tokenId)).toMatchObject([{ address }]);
    expect(await findInWallet(tokenId, address)).toMatchObject({ claimStatus: 'claimed' });
    const second = await expectDone(tokenId, revoke(tokenId, address));
    expect(second.operationId).not.toBe(first.operationId);
    await expectDone(tokenId, reinstate(tokenId, address));
    expect(await remainingOf(tokenId)).toBe(9);
  });

  test('that is sent 30 times concurrently is one operation', async () => {
    const { tokenId, address } = await createOwnedToken();
    await expectOneOperation(30, 'TokenNotOwned', () => revoke(tokenId, address));
  });

  test('is not undone for a burnt token', async () => {
    const { tokenId, owner, address } = await createOwnedToken();
    await expectDone(tokenId, burn(tokenId, owner));
    expectProblem(await reinstate(tokenId, address), 409, 'TokenNotRevoked');
    expectProblem(await revoke(tokenId, address), 409, 'TokenNotOwned');
  });

  test('keeps the contributor of an allowlisted token as one that has claimed', async () => {
    const address = newAddress();
    const tokenId = await createAllowlistedToken([address]);
    await expectDone(tokenId, claimWithKey(tokenId, address));
    await expectDone(tokenId, revoke(tokenId, address));
    expect(await contributorsOf(tokenId)).toMatchObject([{ address, hasClaimed: true }]);
    expect(await findInWallet(tokenId, address)).toBeUndefined();
    expectProblem(await claimWithKey(tokenId, address), 409, 'ClaimingAddressAlreadyHasToken');
  });

  test('needs a key, and a reason', async () => {
    const { tokenId, address } = await createOwnedToken();
    expectProblem(await revoke(tokenId, address, {}), 401, 'ApiKeyRequired');
    expectProblem(await postTo(tokenId, `owners/${address}/revoke`, {}, withDemoKey), 400, 'InvalidRequest');
    expectProblem(await revoke(tokenId, '0x1'), 400, 'InvalidRequest');
  });
});

describe.skipIf(operatorOnly.isSkipped)(`the reason${operatorOnly.titleSuffix}`, () => {
  test('is in the audit log', async () => {
    const { tokenId, address } = await createOwnedToken();
    const { operationId } = await expectDone(tokenId, revoke(tokenId, address));
    const { data } = await read<Page<{ resourceId: string; reason: string | null }>>(
      '/v1/auditLog?action=revoke&limit=1000',
      asOperator,
    );
    expect(data.find(({ resourceId }) => resourceId === operationId)).toMatchObject({ reason: REASON });
  });
});

describe('a move', () => {
  test('gives the token to another address at the same time of claim, and changes no count', async () => {
    const { tokenId, address } = await createOwnedToken();
    const toAddress = newAddress();
    const before = await readOwner(tokenId, address);
    expect(await expectDone(tokenId, move(tokenId, address, toAddress))).toMatchObject({
      operationType: 'move',
    });
    expect(await readOwner(tokenId, address)).toMatchObject({ status: 'moved' });
    const { claimedAtTimestamp } = before;
    expect(await readOwner(tokenId, toAddress)).toMatchObject({ status: 'held', claimedAtTimestamp });
    expect(await ownersOf(tokenId)).toStrictEqual([
      { address: toAddress, claimedAtTimestamp, validUntilTimestamp: null, isKept: false },
    ]);
    expect(await findInWallet(tokenId, address)).toBeUndefined();
    expect(await findInWallet(tokenId, toAddress)).toMatchObject({ claimStatus: 'claimed' });
    expect(await remainingOf(tokenId)).toBe(9);
    for (const claimer of [address, toAddress]) {
      expectProblem(await claimWithKey(tokenId, claimer), 409, 'ClaimingAddressAlreadyHasToken');
    }
    expect(await eligibilityOf(tokenId, address)).toMatchObject({ ownership: 'moved' });
    expectProblem(await reinstate(tokenId, address), 409, 'TokenNotRevoked');
    expectProblem(await move(tokenId, address, newAddress()), 409, 'TokenNotOwned');
  });

  test('can be undone by a move back, and repeated', async () => {
    const { tokenId, address } = await createOwnedToken();
    const toAddress = newAddress();
    const { claimedAtTimestamp } = await readOwner(tokenId, address);
    for (const [from, to] of [
      [address, toAddress],
      [toAddress, address],
      [address, toAddress],
    ] as const) {
      await expectDone(tokenId, move(tokenId, from, to));
      expect(await ownersOf(tokenId)).toStrictEqual([
        { address: to, claimedAtTimestamp, validUntilTimestamp: null, isKept: false },
      ]);
      expect(await readOwner(tokenId, from)).toMatchObject({ status: 'moved' });
    }
    expect(await remainingOf(tokenId)).toBe(9);
  });

  test('is refused to an address that has the token, or has had another one', async () => {
    const { tokenId, owner, address } = await createOwnedToken();
    const [holder, revoked] = [newAddress(), newAddress()];
    const name = 'ClaimingAddressAlreadyHasToken';
    for (const other of [holder, revoked]) await expectDone(tokenId, claimWithKey(tokenId, other));
    await expectDone(tokenId, revoke(tokenId, revoked));
    for (const to of [address, holder, revoked]) expectProblem(await move(tokenId, address, to), 409, name);
    const moved = newAddress();
    await expectDone(tokenId, move(tokenId, holder, moved));
    expectProblem(await move(tokenId, address, holder), 409, name);
    await expectDone(tokenId, burn(tokenId, owner));
    expectProblem(await move(tokenId, moved, address), 409, name);
  });

  test('uses the allowlist entry of the receiver', async () => {
    const [address, toAddress] = [newAddress(), newAddress()];
    const tokenId = await createAllowlistedToken([address, toAddress]);
    await expectDone(tokenId, claimWithKey(tokenId, address));
    await expectDone(tokenId, move(tokenId, address, toAddress));
    expect(await contributorsOf(tokenId)).toMatchObject([
      { address, hasClaimed: true },
      { address: toAddress, hasClaimed: true },
    ]);
    expectProblem(await removeContributors(tokenId, [toAddress]), 400, 'InvalidRequest');
  });

  test('keeps the code of the first claim used', async () => {
    const tokenId = await createOpenToken();
    const { code } = await createClaimLink(tokenId);
    const [address, toAddress] = [newAddress(), newAddress()];
    await expectDone(tokenId, claimWithCode(tokenId, code, address));
    await expectDone(tokenId, move(tokenId, address, toAddress));
    expectProblem(await claimWithCode(tokenId, code, newAddress()), 409, 'ClaimCodeUsed');
    expect(await claimLinksOf(tokenId)).toMatchObject([{ status: 'used', claimingAddress: address }]);
  });

  test('rejects a receiver with a wrong checksum', async () => {
    const { tokenId, address } = await createOwnedToken();
    const wrong = '0x530e6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
    expectProblem(await move(tokenId, address, wrong), 400, 'InvalidRequest');
  });
});

describe('a removal of contributors', () => {
  test('takes entries and their claim links off the allowlist', async () => {
    const creator = newWallet();
    const [a, b] = [newAddress(), newAddress()];
    const tokenId = await createAllowlistedToken([a, b, 'ada@example.org'], creator);
    const { code } = await createClaimLink(tokenId, { identifiers: ['ada@example.org'] });
    const removal = removeContributors(tokenId, [a.toLowerCase(), ' ADA@example.org', a]);
    expect(await expectDone(tokenId, removal)).toMatchObject({ operationType: 'removeContributors' });
    expect(await contributorsOf(tokenId)).toMatchObject([{ contributor: b }]);
    expect(await findInWallet(tokenId, a)).toBeUndefined();
    expectProblem(await claimWithKey(tokenId, a), 403, 'AddressNotAllowlisted');
    expect((await checkClaimCode(tokenId, code)).reasons).toEqual(['ClaimCodeInvalid']);
    expect(await claimLinksOf(tokenId)).toMatchObject([{ status: 'revoked' }]);

    // The entries can be added again, and removed again. The revoked link stays revoked.
    await expectDone(tokenId, addContributors(tokenId, creator, [a, 'ada@example.org']));
    expectProblem(await claimWithCode(tokenId, code, newAddress()), 403, 'ClaimCodeInvalid');
    await expectDone(tokenId, removeContributors(tokenId, [a, 'ada@example.org']));
    await expectDone(tokenId, addContributors(tokenId, creator, [a, 'ada@example.org']));
    expect(await contributorsOf(tokenId)).toHaveLength(3);
    await expectDone(tokenId, claimWithKey(tokenId, a));
  });

  test('removes nothing if one has claimed or is not listed', async () => {
    const [a, b] = [newAddress(), newAddress()];
    const tokenId = await createAllowlistedToken([a, b, 'ada']);
    await expectDone(tokenId, claimWithKey(tokenId, b));
    await expectDone(tokenId, claimWithKey(tokenId, newAddress(), { identifier: 'ada' }));
    const problem = expectProblem(
      await removeContributors(tokenId, [a, b, 'ada', 'Ada']),
      400,
      'InvalidRequest',
    );
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([
      '/contributors/1',
      '/contributors/2',
      '/contributors/3',
    ]);
    expect(await contributorsOf(tokenId)).toHaveLength(3);
    expectProblem(await removeContributors(await createOpenToken(), [a]), 409, 'AllowlistMismatch');
  });

  test('and a claim at the same time: exactly one of them succeeds', async () => {
    const contributors = Array.from({ length: 10 }, newAddress);
    const tokenId = await createAllowlistedToken([newAddress(), ...contributors]);
    await Promise.all(
      contributors.map(async (contributor) => {
        const [claimed, removed] = await Promise.all([
          outcomeOf(claimWithKey(tokenId, contributor)),
          outcomeOf(removeContributors(tokenId, [contributor])),
        ]);
        if (removed === 'success') expect(claimed).toBe('AddressNotAllowlisted');
        else {
          expect(['ContributorHasClaimed', 'InvalidRequest']).toContain(removed);
          expect(claimed).toBe('success');
        }
      }),
    );
  });
});

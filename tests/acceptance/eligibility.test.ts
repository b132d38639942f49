import { newAddress, newWallet } from '@badge/test-support/signing';
import { describe, expect, test } from 'vitest';
import {
  addContributors,
  burn,
  checkClaimCode,
  claimWithCode,
  claimWithKey,
  claimWithSignature,
  createAllowlistedToken,
  createClaimLink,
  createOpenToken,
  type Eligibility,
  eligibilityOf,
  expectDone,
  outcomeOf,
  postTo,
  remainingOf,
} from './claim-requests.ts';
import {
  asJson,
  call,
  createToken,
  expectAccepted,
  parseOk,
  read,
  requestToken,
  withDemoKey,
} from './client.ts';
import { expectProblem } from './problems.ts';
import type { Body, Operation, Token } from './shapes.ts';
import { openRequest } from './token-requests.ts';

/** Checks the reasons why the address cannot claim, and that a claim is rejected for the first of them. */
async function expectReasons(
  tokenId: number,
  address: string,
  reasons: string[],
  ownership: Eligibility['ownership'] = 'none',
): Promise<void> {
  expect(await eligibilityOf(tokenId, address)).toStrictEqual({
    canClaim: reasons.length === 0,
    isSignatureRequired: false,
    reasons,
    ownership,
    validUntilTimestamp: null,
  });
  const [name] = reasons;
  if (name !== undefined) expect(await outcomeOf(claimWithKey(tokenId, address))).toBe(name);
}

describe('eligibility', () => {
  test('for an open token is true for every address that has not claimed', async () => {
    const tokenId = await createOpenToken();
    const wallet = newWallet();
    await expectReasons(tokenId, wallet.address, []);
    await expectDone(tokenId, claimWithKey(tokenId, wallet.address));
    await expectReasons(tokenId, wallet.address, ['ClaimingAddressAlreadyHasToken'], 'held');
    await expectDone(tokenId, burn(tokenId, wallet));
    await expectReasons(tokenId, wallet.address, ['ClaimingAddressAlreadyHasToken'], 'burnt');
    await expectReasons(tokenId, newAddress(), []);
  });

  test('is false when no tokens are left', async () => {
    const tokenId = await createOpenToken({ totalClaimCount: 1 });
    const address = newAddress();
    await expectDone(tokenId, postTo(tokenId, 'airdrop', { address }, withDemoKey));
    await expectReasons(tokenId, newAddress(), ['NoTokensLeft']);
    await expectReasons(tokenId, address, ['ClaimingAddressAlreadyHasToken', 'NoTokensLeft'], 'held');
  });

  test('for an allowlisted token is true for contributors, as soon as they are added', async () => {
    const creator = newWallet();
    const [listed, later] = [newAddress(), newAddress()];
    const tokenId = await createAllowlistedToken([listed], creator);
    await expectReasons(tokenId, listed, []);
    await expectReasons(tokenId, later, ['AddressNotAllowlisted']);
    await expectDone(tokenId, addContributors(tokenId, creator, [later]));
    await expectReasons(tokenId, later, []);
  });

  test('lists every reason, beginning with the one for which a claim is rejected', async () => {
    const tokenId = await createAllowlistedToken([newAddress()], newWallet(), { expirationTimestamp: 1 });
    await expectReasons(tokenId, newAddress(), ['TokenClaimExpired', 'AddressNotAllowlisted']);
  });

  test('says whether a signature is required', async () => {
    const tokenId = await createOpenToken({ isSignatureRequired: true });
    expect(await eligibilityOf(tokenId, newAddress())).toStrictEqual({
      canClaim: true,
      isSignatureRequired: true,
      reasons: [],
      ownership: 'none',
      validUntilTimestamp: null,
    });
  });

  test('accepts the address in upper or lower case, and ignores keys and a trailing slash', async () => {
    const listed = newAddress();
    const tokenId = await createAllowlistedToken([listed]);
    for (const address of [listed, listed.toLowerCase(), `0x${listed.slice(2).toUpperCase()}`]) {
      expect((await eligibilityOf(tokenId, address)).canClaim).toBe(true);
    }
    const path = `/v1/tokens/${tokenId}/eligibility/?address=${listed}&other=1`;
    expect((await read<Eligibility>(path, { 'X-API-Key': 'wrong' })).canClaim).toBe(true);
  });
});

describe('the time from which a token can be claimed', () => {
  const inAnHour = () => Date.now() + 3_600_000;
  const update = (tokenId: number, claimableFromTimestamp: number | null) =>
    call(`/v1/tokens/${tokenId}`, {
      method: 'PATCH',
      body: JSON.stringify({ claimableFromTimestamp }),
      headers: { ...asJson, ...withDemoKey },
    });

  test('rejects every claim before it, also with a code, but no airdrop', async () => {
    const claimableFromTimestamp = inAnHour();
    const tokenId = await createOpenToken({ claimableFromTimestamp });
    const { code } = await createClaimLink(tokenId);
    await expectReasons(tokenId, newAddress(), ['TokenNotYetClaimable']);
    expect(await checkClaimCode(tokenId, code)).toMatchObject({
      canClaim: false,
      reasons: ['TokenNotYetClaimable'],
    });
    for (const claim of [
      claimWithSignature(tokenId, newWallet()),
      claimWithKey(tokenId, newAddress()),
      claimWithCode(tokenId, code, newAddress()),
    ])
      expectProblem(await claim, 409, 'TokenNotYetClaimable');
    await expectDone(tokenId, postTo(tokenId, 'airdrop', { address: newAddress() }, withDemoKey));
    expect((await read<Token>(`/v1/tokens/${tokenId}`)).claimableFromTimestamp).toBe(claimableFromTimestamp);
  });

  test('can be changed and removed, and 0 is none', async () => {
    const tokenId = await createOpenToken({ claimableFromTimestamp: 0 });
    await expectReasons(tokenId, newAddress(), []);
    for (const [value, reasons] of [
      [inAnHour(), ['TokenNotYetClaimable']],
      [1, []],
      [inAnHour(), ['TokenNotYetClaimable']],
      [null, []],
    ] as const) {
      expect(parseOk(await update(tokenId, value))).toMatchObject({ claimableFromTimestamp: value });
      await expectReasons(tokenId, newAddress(), [...reasons]);
    }
    await expectDone(tokenId, claimWithKey(tokenId, newAddress()));
  });
});

describe('the expiration', () => {
  /** Returns the service's current time, which is the completion time of a new operation. */
  async function readServiceTimestamp(): Promise<number> {
    const location = expectAccepted(await requestToken(await openRequest()));
    const { completedAtTimestamp } = await read<Operation>(`${location}?wait=30`);
    return Number(completedAtTimestamp);
  }
  const expiringToken = async (expirationTimestamp: number, fields: Body = {}) =>
    (await createToken(await openRequest({ expirationTimestamp, ...fields }))).tokenId;

  test('rejects every claim if it is in the past', async () => {
    const now = await readServiceTimestamp();
    const tokenId = await expiringToken(now);
    await expectReasons(tokenId, newAddress(), ['TokenClaimExpired']);
    expectProblem(await claimWithSignature(tokenId, newWallet()), 409, 'TokenClaimExpired');
    expect(await remainingOf(tokenId)).toBe(10);
  });

  test('does not prevent claims if it is 0 or far in the future', async () => {
    for (const expirationTimestamp of [0, 8_640_000_000_000_000]) {
      const tokenId = await expiringToken(expirationTimestamp);
      await expectDone(tokenId, claimWithKey(tokenId, newAddress()));
    }
  });

  test('rejects claims from its time on, but not before', async () => {
    const expirationTimestamp = (await readServiceTimestamp()) + 2_000;
    const tokenId = await expiringToken(expirationTimestamp);
    const wallet = newWallet();
    const { createdAtTimestamp } = await expectDone(tokenId, claimWithSignature(tokenId, wallet));
    expect(createdAtTimestamp).toBeLessThan(expirationTimestamp);
    const address = newAddress();
    let eligibility = await eligibilityOf(tokenId, address);
    expect(eligibility.reasons).toEqual([]);
    // Asks until the token expires, at most two seconds later.
    while (eligibility.canClaim) eligibility = await eligibilityOf(tokenId, address);
    await expectReasons(tokenId, address, ['TokenClaimExpired']);
    await expectReasons(
      tokenId,
      wallet.address,
      ['ClaimingAddressAlreadyHasToken', 'TokenClaimExpired'],
      'held',
    );
    expect(await readServiceTimestamp()).toBeGreaterThanOrEqual(expirationTimestamp);
    expect(await remainingOf(tokenId)).toBe(9);
    await expectDone(tokenId, burn(tokenId, wallet));
  });
});

import { newAddress, newWallet } from '@badge/test-support/signing';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  burn,
  claimWithKey,
  claimWithSignature,
  createAllowlistedToken,
  createOpenToken,
  expectDone,
  ownersOf,
  postTo,
  remainingOf,
} from './claim-requests.ts';
import { read, withDemoKey } from './client.ts';
import { describeListing } from './listings.ts';
import type { Operation, Page, WalletToken } from './shapes.ts';

describe('owners', () => {
  const wallets = Array.from({ length: 5 }, newWallet);
  const addresses = wallets.map(({ address }) => address);
  const operations: Operation[] = [];
  let tokenId = 0;
  beforeAll(async () => {
    tokenId = await createOpenToken();
    for (const [index, wallet] of wallets.entries()) {
      const isAirdrop = index % 2 === 1;
      const response = isAirdrop
        ? postTo(tokenId, 'airdrop', { address: wallet.address }, withDemoKey)
        : claimWithSignature(tokenId, wallet);
      operations.push(await expectDone(tokenId, response));
    }
  });
  describeListing(() => `/v1/tokens/${tokenId}/owners`);

  test('are listed in the order of their claims, with the times of the claims', async () => {
    const owners = await ownersOf(tokenId);
    expect(owners.map(({ address }) => address)).toEqual(addresses);
    for (const [index, { claimedAtTimestamp, ...rest }] of owners.entries()) {
      expect(rest).toStrictEqual({ address: addresses[index], validUntilTimestamp: null, isKept: false });
      const { createdAtTimestamp, completedAtTimestamp } = operations[index] as Operation;
      expect(claimedAtTimestamp).toBeGreaterThanOrEqual(createdAtTimestamp);
      expect(claimedAtTimestamp).toBeLessThanOrEqual(Number(completedAtTimestamp));
    }
  });

  test('are paged', async () => {
    for (const [offset, address] of addresses.entries()) {
      expect(await ownersOf(tokenId, `?limit=1&offset=${offset}`)).toMatchObject([{ address }]);
    }
    expect(await ownersOf(tokenId, '?offset=5')).toEqual([]);
    expect((await ownersOf(tokenId, '')).map(({ address }) => address)).toEqual(addresses);
  });

  test('are an empty list for an unclaimed token', async () => {
    expect(await ownersOf(await createOpenToken())).toEqual([]);
  });

  test('do not include an address that burned its token, although its claim still counts', async () => {
    const [one, two] = [newWallet(), newWallet()];
    const burnedTokenId = await createOpenToken({ totalClaimCount: 5 });
    await expectDone(burnedTokenId, claimWithSignature(burnedTokenId, one));
    await expectDone(burnedTokenId, claimWithSignature(burnedTokenId, two));
    await expectDone(burnedTokenId, claimWithKey(burnedTokenId, newAddress()));
    await expectDone(burnedTokenId, burn(burnedTokenId, one));
    expect(await ownersOf(burnedTokenId)).toHaveLength(2);
    expect(await remainingOf(burnedTokenId)).toBe(2);
  });
});

describe("a wallet's list", () => {
  const wallet = newWallet();
  const { address } = wallet;
  const walletTokens = async (query = '') =>
    (await read<Page<WalletToken>>(`/v1/wallets/${address}/tokens${query}`)).data;
  const idsOf = async (query?: string) => (await walletTokens(query)).map(({ badgeTokenId }) => badgeTokenId);
  let [open, listed, claimed, burned] = [0, 0, 0, 0];
  let claimedAtTimestamp = 0;
  beforeAll(async () => {
    open = await createOpenToken();
    listed = await createAllowlistedToken([address]);
    claimed = await createAllowlistedToken([newAddress(), address]);
    burned = await createAllowlistedToken([address]);
    for (const tokenId of [burned, open, claimed]) {
      await expectDone(tokenId, claimWithSignature(tokenId, wallet));
    }
    await expectDone(burned, burn(burned, wallet));
    claimedAtTimestamp = (await ownersOf(claimed))[0]?.claimedAtTimestamp ?? 0;
  });

  test('has the tokens that the wallet holds or can claim, newest token first, without burned tokens', async () => {
    expect(
      (await walletTokens()).map(({ badgeTokenId, claimStatus }) => [badgeTokenId, claimStatus]),
    ).toEqual([
      [claimed, 'claimed'],
      [listed, 'unclaimed'],
      [open, 'claimed'],
    ]);
  });

  test('is filtered by claimStatus and communityId, and then paged', async () => {
    expect(await idsOf('?claimStatus=claimed')).toEqual([claimed, open]);
    expect(await idsOf('?claimStatus=unclaimed')).toEqual([listed]);
    expect(await idsOf('?claimStatus=')).toEqual([claimed, listed, open]);
    expect(await idsOf('?claimStatus=claimed&offset=1&limit=1')).toEqual([open]);
    expect(await idsOf('?claimStatus=claimed&communityId=demo')).toEqual([claimed, open]);
    expect(await idsOf('?claimStatus=claimed&communityId=nobody')).toEqual([]);
    expect(await idsOf('?limit=1&offset=1')).toEqual([listed]);
  });

  test('has the time when each token was claimed or allowlisted, as ISO 8601 with milliseconds', async () => {
    const [first, second] = await walletTokens();
    expect(first?.createdAt).toBe(new Date(claimedAtTimestamp).toISOString());
    expect(first?.createdAt).toMatch(/\.\d{3}Z$/);
    const { createdAtTimestamp } = await read<{ createdAtTimestamp: number }>(`/v1/tokens/${listed}`);
    expect(Math.abs(Date.parse(second?.createdAt ?? '') - createdAtTimestamp)).toBeLessThan(30_000);
  });
});

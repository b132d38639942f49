import { newAddress } from '@badge/test-support/signing';
import { expect, test } from 'vitest';
import {
  claimWithKey,
  createOpenToken,
  eligibilityOf,
  expectDone,
  outcomeOf,
  ownersOf,
  postTo,
} from './claim-requests.ts';
import { read, withDemoKey } from './client.ts';
import type { Page, WalletToken } from './shapes.ts';

const DAY_MS = 86_400_000;

interface OwnerState {
  status: string;
  claimedAtTimestamp: number;
  validUntilTimestamp: number | null;
}

const ownerOf = (tokenId: number, address: string) =>
  read<OwnerState>(`/v1/tokens/${tokenId}/owners/${address}`);
const renew = (tokenId: number, addresses: string[], validUntilTimestamp: number) =>
  postTo(tokenId, 'renew', { addresses, validUntilTimestamp }, withDemoKey);
const walletOf = async (address: string) =>
  (await read<Page<WalletToken>>(`/v1/wallets/${address}/tokens`)).data;

test('a badge ends so many days after its claim, and a renewal gives it another end', async () => {
  const address = newAddress();
  const tokenId = await createOpenToken({ validityDays: 365 });
  await expectDone(tokenId, claimWithKey(tokenId, address));
  const { status, claimedAtTimestamp, validUntilTimestamp } = await ownerOf(tokenId, address);
  expect(status).toBe('held');
  expect(validUntilTimestamp).toBe(claimedAtTimestamp + 365 * DAY_MS);

  const later = claimedAtTimestamp + 730 * DAY_MS;
  await expectDone(tokenId, renew(tokenId, [address], later));

  expect(await ownersOf(tokenId)).toMatchObject([{ address, validUntilTimestamp: later }]);
  expect(await walletOf(address)).toMatchObject([
    { claimStatus: 'claimed', validUntilTimestamp: later, isExpired: false },
  ]);
  expect(await eligibilityOf(tokenId, address)).toMatchObject({
    ownership: 'held',
    validUntilTimestamp: later,
  });
});

test('a badge that has ended is expired on all sides, and a renewal makes it valid again', async () => {
  const address = newAddress();
  const tokenId = await createOpenToken({ validUntilTimestamp: 1 });
  await expectDone(tokenId, claimWithKey(tokenId, address));
  expect(await ownerOf(tokenId, address)).toMatchObject({ status: 'expired', validUntilTimestamp: 1 });
  expect(await ownersOf(tokenId)).toEqual([]);
  expect(await walletOf(address)).toMatchObject([{ claimStatus: 'claimed', isExpired: true }]);
  expect(await eligibilityOf(tokenId, address)).toMatchObject({ canClaim: false, ownership: 'expired' });
  const expired = await read<Page<object>>(`/v1/tokens/${tokenId}/owners?status=expired`, withDemoKey);
  expect(expired.data).toMatchObject([{ address, status: 'expired' }]);

  await expectDone(tokenId, renew(tokenId, [address], Date.now() + DAY_MS));
  expect((await ownersOf(tokenId)).map((owner) => owner.address)).toEqual([address]);
});

test('only owners are renewed, and only into the future', async () => {
  const address = newAddress();
  const tokenId = await createOpenToken();
  await expectDone(tokenId, claimWithKey(tokenId, address));
  expect(await outcomeOf(renew(tokenId, [address, newAddress()], Date.now() + DAY_MS))).toBe('TokenNotOwned');
  expect(await outcomeOf(renew(tokenId, [address], Date.now() - DAY_MS))).toBe('InvalidRequest');
  expect((await ownerOf(tokenId, address)).validUntilTimestamp).toBeNull();
});

import { newWallet } from '@badge/test-support/signing';
import { sharedSite } from './site.ts';

export const site = sharedSite();

/** Claims the token for new addresses, one after the other. Returns them. */
export async function claimForNewAddresses(tokenId: number, count: number): Promise<string[]> {
  const addresses = Array.from({ length: count }, () => newWallet().address);
  for (const claimingAddress of addresses)
    await (await site.operator.claim({ tokenId, claimingAddress })).wait();
  return addresses;
}

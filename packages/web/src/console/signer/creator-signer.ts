import { BadgeApiError, type BadgeClient, type ManagedCreator, type Token } from '@badge/sdk';
import type { WalletProvider } from '../../wallet/discover-wallets.ts';
import { checkSignatureLength, connectWallet, moveToSigningChain } from '../../wallet/wallet-calls.ts';
import { toWalletError, WalletError } from '../../wallet/wallet-error.ts';
import { findTestSigner } from './test-key.ts';

/** Who can sign for the creator of a badge: the service, the test key of this browser, or a wallet. */
export type CreatorKey = 'managed' | 'test' | 'wallet';

/** The key that the service keeps for a community, or null. */
export async function findManagedCreator(
  badge: BadgeClient,
  communityId: string,
  signal: AbortSignal,
): Promise<ManagedCreator | null> {
  try {
    return await badge.getManagedCreator({ communityId }, { signal });
  } catch (error) {
    if (error instanceof BadgeApiError && error.name === 'ManagedCreatorNotFound') return null;
    throw error;
  }
}

/** Finds out which key has made a badge. A key that nobody here has may be in a wallet. */
export async function findCreatorKey(
  badge: BadgeClient,
  { communityId, createdByAddress }: Token,
  signal: AbortSignal,
): Promise<CreatorKey> {
  const isCreator = (address: string | undefined) =>
    address?.toLowerCase() === createdByAddress.toLowerCase();
  const managed = await findManagedCreator(badge, communityId, signal);
  if (isCreator(managed?.address)) return 'managed';
  const { environment } = await badge.getEnvironment({ signal });
  if (environment === 'sandbox' && isCreator((await findTestSigner())?.address)) return 'test';
  return 'wallet';
}

/**
 * Signs `AllowlistedAddress` for a badge, which lets its list be changed. Throws a `WalletError` if the
 * wallet fails, or if no wallet is given and one is needed.
 */
export async function signForCreator(
  badge: BadgeClient,
  { tokenId, communityId, createdByAddress: address }: Token,
  key: CreatorKey,
  provider: WalletProvider | null,
): Promise<string> {
  const primaryType = 'AllowlistedAddress';
  if (key === 'managed') {
    const message = { tokenId };
    return (await badge.signWithManagedCreator({ communityId, primaryType, message })).signature;
  }
  const signer = key === 'test' ? await findTestSigner() : provider;
  if (signer === null) throw new WalletError('NoAccount');
  if (provider !== null) {
    const accounts = await connectWallet(provider);
    if (!accounts.some((account) => account.toLowerCase() === address.toLowerCase())) {
      throw new WalletError('WrongAccount');
    }
    await moveToSigningChain(provider, address, await badge.getEnvironment());
  }
  try {
    const { signature } = await badge.signTokenId({ primaryType, tokenId, signer, address });
    checkSignatureLength(signature, await badge.getEnvironment());
    return signature;
  } catch (error) {
    throw error instanceof BadgeApiError ? error : toWalletError(error);
  }
}

import {
  BadgeApiError,
  type BadgeClient,
  BadgeConnectionError,
  type ManagedMessage,
  type NewToken,
  type SignedToken,
  type Signer,
  type ViemAccount,
} from '@badge/sdk';
import type { InstalledWallet } from '../../wallet/discover-wallets.ts';
import { rememberWallet } from '../../wallet/last-wallet.ts';
import {
  checkSignatureLength,
  connectWallet,
  isContract,
  mayContractsSign,
  moveToSigningChain,
} from '../../wallet/wallet-calls.ts';
import { toWalletError, WalletError } from '../../wallet/wallet-error.ts';
import type { CreatorKey } from './creator-signer.ts';

/** Who can sign here: the key that the service keeps, a wallet, or the test key of this browser. */
export type SignerChoice =
  | { id: 'managed'; address: string }
  | { id: `wallet:${string}`; wallet: InstalledWallet }
  | { id: 'testKey' };

/** Which key of a creator a choice has. */
export function keyOf(choice: SignerChoice): CreatorKey {
  if ('wallet' in choice) return 'wallet';
  return choice.id === 'testKey' ? 'test' : 'managed';
}

/** A signer that is ready, for the calls of the SDK, with its address. */
export interface OpenSigner {
  signer: Signer;
  address: string;
}

/**
 * Makes a signer ready. A wallet may ask to connect, and to switch its chain. Throws a `WalletError` if it
 * fails.
 */
export async function openSigner(
  choice: SignerChoice,
  { badge, communityId }: { badge: BadgeClient; communityId: string },
): Promise<OpenSigner> {
  if ('wallet' in choice) return await openWallet(choice.wallet, badge);
  if (choice.id === 'testKey') {
    const { openTestSigner } = await import('./test-key.ts');
    const signer = await openTestSigner();
    return { signer, address: signer.address };
  }
  const signer: ViemAccount = {
    address: choice.address,
    async signTypedData({ primaryType, message }: ManagedMessage) {
      const request = { communityId, primaryType, message } as { communityId: string } & ManagedMessage;
      return (await badge.signWithManagedCreator(request)).signature;
    },
  };
  return { signer, address: choice.address };
}

async function openWallet({ walletId, provider }: InstalledWallet, badge: BadgeClient): Promise<OpenSigner> {
  const environment = await badge.getEnvironment();
  const [address = ''] = await connectWallet(provider);
  rememberWallet(walletId);
  await moveToSigningChain(provider, address, environment);
  if (!mayContractsSign(environment) && (await isContract(provider, address))) {
    throw new WalletError('ContractWallet');
  }
  return { signer: provider, address };
}

/**
 * Signs a new token. Throws a `WalletError` if the signer fails, and the error of the service if the service
 * does.
 */
export async function signNewToken(
  badge: BadgeClient,
  { signer, address }: OpenSigner,
  token: NewToken,
): Promise<SignedToken> {
  const signed = await badge.signToken({ ...token, signer, creator: address }).catch((error: unknown) => {
    const isOfService = error instanceof BadgeApiError || error instanceof BadgeConnectionError;
    throw isOfService ? error : toWalletError(error);
  });
  checkSignatureLength(signed.signature, await badge.getEnvironment());
  return signed;
}

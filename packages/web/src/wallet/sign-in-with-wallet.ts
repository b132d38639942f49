import { BadgeApiError, BadgeConnectionError, type CreatedSession } from '@badge/sdk';
import { badge } from '../api.ts';
import type { InstalledWallet } from './discover-wallets.ts';
import { rememberWallet } from './last-wallet.ts';
import { connectWallet, findActiveChain, signText } from './wallet-calls.ts';
import { WalletError } from './wallet-error.ts';

export type WalletSignInProblem =
  | 'declined'
  | 'wallet'
  | 'alreadyAsking'
  | 'contractWallet'
  | 'offline'
  | 'busy'
  | 'unexpected';

/** Signs in with an account of a wallet, which signs a message. */
export async function signInWithWallet({ provider, walletId }: InstalledWallet): Promise<CreatedSession> {
  const [address = ''] = await connectWallet(provider);
  // A contract wallet is asked on its own chain, if the service can.
  const { contractWalletChainIds = [] } = await badge.getEnvironment();
  const activeChainId = contractWalletChainIds.length > 0 ? await findActiveChain(provider) : null;
  const chainId = contractWalletChainIds.find((id) => id === activeChainId) ?? null;
  const { message } = await badge.createSignInChallenge({ address, chainId });
  const signature = await signText(provider, { text: message, address });
  const created = await badge.signIn({ message, signature });
  rememberWallet(walletId);
  return created;
}

/** Names what went wrong, for a message of the page. */
export function nameWalletSignInProblem(error: unknown): WalletSignInProblem {
  if (error instanceof WalletError) {
    if (error.name === 'Declined') return 'declined';
    if (error.name === 'AlreadyAsking') return 'alreadyAsking';
    return error.name === 'ContractWallet' ? 'contractWallet' : 'wallet';
  }
  if (error instanceof BadgeConnectionError) return 'offline';
  if (error instanceof BadgeApiError) {
    if ([429, 503].includes(error.status)) return 'busy';
    // A wrong signature is that of a smart account that the service cannot ask, or that does not confirm it.
    if (['InvalidSignature', 'NotSignedByAddress'].includes(error.name)) return 'contractWallet';
  }
  return 'unexpected';
}

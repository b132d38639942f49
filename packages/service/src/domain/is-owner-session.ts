import type { Context } from '../context.ts';
import type { Address } from '../signatures/address.ts';
import type { Caller } from './caller.ts';
import { readWalletChainId } from './communities/read-community.ts';

/**
 * Whether a session is that of an owner of a community's badges: of the wallet, or of the person by e-mail
 * for whom the service keeps them. An API key, also the operator's, is nobody's session.
 */
export async function isOwnerSession(
  context: Context,
  caller: Caller,
  { communityId, address }: { communityId: string; address: Address },
): Promise<boolean> {
  if (caller.kind === 'emailSession') {
    const { emailHash } = caller;
    return context.keptAddresses?.addressOf({ communityId, emailHash }).equals(address) ?? false;
  }
  if (caller.kind !== 'session' || !caller.address.equals(address)) return false;
  const { walletChainId } = caller;
  // On another chain, the contract at this address can be somebody else's.
  return walletChainId === null || walletChainId === (await readWalletChainId(context, communityId));
}

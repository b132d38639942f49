import type { OwnerState, Token } from '@badge/sdk';
import { useSyncExternalStore } from 'react';
import { clientOf, type PersonSession, useSession } from '../../sign-in/person-session.ts';
import { findClaimer, findOwner, hasToken } from '../../token/ownership.ts';
import { type Loaded, useLoaded } from '../../use-loaded.ts';
import { discoverWallets } from '../../wallet/discover-wallets.ts';
import { findLastWallet } from '../../wallet/last-wallet.ts';
import { listConnectedAccounts } from '../../wallet/wallet-calls.ts';

const wallets = discoverWallets(window);

/** The visitor's own badge. */
export interface VisitorOwnership extends OwnerState {
  /** Whether it is kept with the e-mail of who has signed in. */
  isKept: boolean;
}

/**
 * Finds an address of the visitor that has the token: that of who has signed in, an account of the wallet
 * that the visitor has connected to these pages, or the address for which this browser has claimed the token.
 * Asks the visitor nothing.
 */
export function useVisitorOwnership({
  tokenId,
  communityId,
}: Pick<Token, 'tokenId' | 'communityId'>): Loaded<VisitorOwnership | null> {
  const session = useSession();
  // A wallet may announce itself later. Then the component renders again, with another key, so the accounts
  // are read again.
  useSyncExternalStore(wallets.subscribe, wallets.list);
  const wallet = findLastWallet(wallets);
  return useLoaded(`visitor/${tokenId}/${wallet?.walletId}/${session?.key}`, async (signal) => {
    const own = session == null ? [] : await listOwnAddresses(session, communityId, signal);
    const accounts = wallet === null ? [] : await listConnectedAccounts(wallet.provider);
    const claimer = findClaimer(tokenId);
    const addresses = [...own, ...accounts, ...(claimer === null ? [] : [claimer])];
    for (const address of addresses) {
      const owner = await findOwner(tokenId, address, signal);
      const isKept = session?.email != null && own.includes(address);
      if (owner !== null && hasToken(owner)) return { ...owner, isKept };
    }
    return null;
  });
}

/** The addresses in a community of who has signed in. None if the session is over. */
async function listOwnAddresses(
  session: PersonSession,
  communityId: string,
  signal: AbortSignal,
): Promise<string[]> {
  if (session.address !== null) return [session.address];
  return await clientOf(session)
    .getSession({ signal })
    .then(
      ({ addresses }) =>
        addresses.filter((kept) => kept.communityId === communityId).map((kept) => kept.address),
      () => [],
    );
}

/**
 * Asks the service what has become of the token of an address. The result is null without an address, and if
 * the address has never had the token.
 */
export function useOwnership(tokenId: number, address: string | null): Loaded<OwnerState | null> {
  return useLoaded(`owner/${tokenId}/${address}`, async (signal) =>
    address === null ? null : await findOwner(tokenId, address, signal),
  );
}

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
    const { kept, others } = await listOwnAddresses(session, communityId, signal);
    const accounts = wallet === null ? [] : await listConnectedAccounts(wallet.provider);
    const claimer = findClaimer(tokenId);
    const addresses = [...kept, ...others, ...accounts, ...(claimer === null ? [] : [claimer])];
    for (const address of addresses) {
      const owner = await findOwner(tokenId, address, signal);
      if (owner !== null && hasToken(owner)) return { ...owner, isKept: kept.includes(address) };
    }
    return null;
  });
}

/**
 * The addresses in a community of who has signed in: those at which badges are kept, and wallets. None if
 * nobody has, and if the session is over.
 */
async function listOwnAddresses(
  session: PersonSession | null | undefined,
  communityId: string,
  signal: AbortSignal,
): Promise<{ kept: string[]; others: string[] }> {
  if (session == null) return { kept: [], others: [] };
  if (session.address !== null) return { kept: [], others: [session.address] };
  return await clientOf(session)
    .getSession({ signal })
    .then(
      ({ addresses, defaultAddress }) => ({
        kept: addresses.filter((one) => one.communityId === communityId).map(({ address }) => address),
        others: defaultAddress === null ? [] : [defaultAddress],
      }),
      () => ({ kept: [], others: [] }),
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

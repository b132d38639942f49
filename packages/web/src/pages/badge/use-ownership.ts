import type { Token } from '@badge/sdk';
import { useSyncExternalStore } from 'react';
import { findClaimer, findOwnership, type Ownership } from '../../token/ownership.ts';
import { type Loaded, useLoaded } from '../../use-loaded.ts';
import { discoverWallets } from '../../wallet/discover-wallets.ts';
import { findLastWallet } from '../../wallet/last-wallet.ts';
import { listConnectedAccounts } from '../../wallet/wallet-calls.ts';

const wallets = discoverWallets(window);

/**
 * Finds an address of the visitor that has the token: an account of the wallet that the visitor has connected to these
 * pages, or the address for which this browser has claimed the token. Asks the visitor nothing.
 */
export function useVisitorOwnership(token: Token): Loaded<Ownership | null> {
  // A wallet may announce itself later. Then the component renders again, with another key, so the accounts are read again.
  useSyncExternalStore(wallets.subscribe, wallets.list);
  const wallet = findLastWallet(wallets);
  return useLoaded(`visitor/${token.tokenId}/${wallet?.walletId}`, async (signal) => {
    const accounts = wallet === null ? [] : await listConnectedAccounts(wallet.provider);
    const claimer = findClaimer(token.tokenId);
    const addresses = claimer === null ? accounts : [...accounts, claimer];
    for (const address of addresses) {
      const ownership = await findOwnership(token, address, signal);
      if (ownership !== null) return ownership;
    }
    return null;
  });
}

/** Asks the service whether an address has the token. Without an address, the result is null. */
export function useOwnership(token: Token, address: string | null): Loaded<Ownership | null> {
  return useLoaded(`owner/${token.tokenId}/${address}`, async (signal) =>
    address === null ? null : await findOwnership(token, address, signal),
  );
}

import type { OwnerState } from '@badge/sdk';
import { useSyncExternalStore } from 'react';
import { findClaimer, findOwner, hasToken } from '../../token/ownership.ts';
import { type Loaded, useLoaded } from '../../use-loaded.ts';
import { discoverWallets } from '../../wallet/discover-wallets.ts';
import { findLastWallet } from '../../wallet/last-wallet.ts';
import { listConnectedAccounts } from '../../wallet/wallet-calls.ts';

const wallets = discoverWallets(window);

/**
 * Finds an address of the visitor that has the token: an account of the wallet that the visitor has connected
 * to these pages, or the address for which this browser has claimed the token. Asks the visitor nothing.
 */
export function useVisitorOwnership(tokenId: number): Loaded<OwnerState | null> {
  // A wallet may announce itself later. Then the component renders again, with another key, so the accounts
  // are read again.
  useSyncExternalStore(wallets.subscribe, wallets.list);
  const wallet = findLastWallet(wallets);
  return useLoaded(`visitor/${tokenId}/${wallet?.walletId}`, async (signal) => {
    const accounts = wallet === null ? [] : await listConnectedAccounts(wallet.provider);
    const claimer = findClaimer(tokenId);
    const addresses = claimer === null ? accounts : [...accounts, claimer];
    for (const address of addresses) {
      const owner = await findOwner(tokenId, address, signal);
      if (owner !== null && hasToken(owner)) return owner;
    }
    return null;
  });
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

import { useSyncExternalStore } from 'react';
import { discoverWallets, type InstalledWallet } from '../../wallet/discover-wallets.ts';

const wallets = discoverWallets(window);

/** The wallets of this browser. Some announce themselves a moment after the page is loaded. */
export function useInstalledWallets(): readonly InstalledWallet[] {
  return useSyncExternalStore(wallets.subscribe, wallets.list);
}

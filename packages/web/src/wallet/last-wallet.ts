import { findStored, writeStored } from '../browser-storage.ts';
import type { InstalledWallet, WalletDiscovery } from './discover-wallets.ts';

const STORED_AS = 'badge.wallet';

/** Remembers in this browser which wallet the person has connected. */
export function rememberWallet(walletId: string): void {
  writeStored(STORED_AS, walletId);
}

/**
 * The wallet that `rememberWallet` has remembered. Null if there is none, or if it has not been found yet.
 */
export function findLastWallet(wallets: WalletDiscovery): InstalledWallet | null {
  return wallets.find(findStored(STORED_AS));
}

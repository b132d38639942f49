import { useSyncExternalStore } from 'react';
import { findStored, forgetStored, writeStored } from '../browser-storage.ts';
import { toChecksumAddress } from './address.ts';

const STORED_AS = 'badge.address';
/**
 * What else tells the next person at this device which address was used: claims, claimers of tokens, and the
 * wallet.
 */
const STORED_WITH_IT = ['badge.claimer.', 'badge.claim.', 'badge.wallet'];

const listeners = new Set<() => void>();

/** Remembers in this browser for which address a badge was claimed last. */
export function rememberAddress(address: string): void {
  writeStored(STORED_AS, address);
  for (const listener of listeners) listener();
}

/** The address that `rememberAddress` has remembered, with its checksum. Null if there is none. */
export function findLastAddress(): string | null {
  const address = findStored(STORED_AS);
  return address === null ? null : toChecksumAddress(address);
}

/** The same as `findLastAddress`. The component renders again when the address is remembered or forgotten. */
export function useLastAddress(): string | null {
  return useSyncExternalStore(subscribe, findLastAddress);
}

/** Makes this browser forget the address, and everything that it stores about claims. */
export function forgetAddress(): void {
  forgetStored((name) => name === STORED_AS || STORED_WITH_IT.some((start) => name.startsWith(start)));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab remembers or forgets.
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

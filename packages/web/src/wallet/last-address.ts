import { findStored, writeStored } from '../stored.ts';
import { toChecksumAddress } from './address.ts';

const STORED_AS = 'badge.address';

/** Remembers in this browser for which address a badge was claimed last. */
export function rememberAddress(address: string): void {
  writeStored(STORED_AS, address);
}

/** The address that `rememberAddress` has remembered, with its checksum. Null if there is none. */
export function findLastAddress(): string | null {
  const address = findStored(STORED_AS);
  return address === null ? null : toChecksumAddress(address);
}

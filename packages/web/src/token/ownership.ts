import type { OwnerState } from '@badge/sdk';
import { badge } from '../api.ts';
import { findStored, writeStored } from '../browser-storage.ts';

/**
 * Asks the service what has become of the token of an address. Returns null if the address has never had it.
 */
export async function findOwner(
  tokenId: number,
  address: string,
  signal: AbortSignal,
): Promise<OwnerState | null> {
  // For an address that has never had the token, getOwner() fails with a 404, which the browser would log as
  // an error.
  const { ownership } = await badge.getEligibility({ tokenId, address }, { signal });
  return ownership === 'none' ? null : await badge.getOwner({ tokenId, address }, { signal });
}

/** Whether the address still has the token, valid or not. */
export function hasToken({ status }: OwnerState): boolean {
  return status === 'held' || status === 'expired';
}

/** Remembers in this browser for which address a token was claimed last. */
export function rememberClaimer(tokenId: number, address: string): void {
  writeStored(storedAs(tokenId), address);
}

/** The address that `rememberClaimer` has remembered, or null. */
export function findClaimer(tokenId: number): string | null {
  return findStored(storedAs(tokenId));
}

function storedAs(tokenId: number): string {
  return `badge.claimer.${tokenId}`;
}

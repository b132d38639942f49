import type { Token } from '@badge/sdk';
import { badge } from '../api.ts';
import { findStored, writeStored } from '../stored.ts';
import { toChecksumAddress } from '../wallet/address.ts';

/** An address that has a token. */
export interface Ownership {
  /** With its checksum. */
  address: string;
  /** When the address claimed the token, in ISO 8601. */
  claimedAt: string;
}

const PAGE_ITEMS = 100;

/** Asks the service whether an address has a token. Returns null if it does not. */
export async function findOwnership(
  { tokenId, communityId }: Pick<Token, 'tokenId' | 'communityId'>,
  address: string,
  signal: AbortSignal,
): Promise<Ownership | null> {
  for (let offset = 0; ; offset += PAGE_ITEMS) {
    const query = { address, communityId, claimStatus: 'claimed', limit: PAGE_ITEMS, offset } as const;
    const { data } = await badge.listWalletTokens(query, { signal });
    const found = data.find(({ badgeTokenId }) => badgeTokenId === tokenId);
    if (found !== undefined) return { address: toChecksumAddress(address), claimedAt: found.createdAt };
    // The newest token, which has the highest id, is first. If the last token of this page is older than the wanted token,
    // all further tokens are older too.
    const last = data.at(-1);
    if (last === undefined || data.length < PAGE_ITEMS || last.badgeTokenId < tokenId) return null;
  }
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

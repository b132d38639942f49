import type { BadgeClient } from '@badge/sdk';

/** The service checks at most this many in one request. */
const ADDRESSES_AT_ONCE = 1_000;

/** Returns which of these addresses hold a badge, in lower case. */
export async function findHolders(
  badge: BadgeClient,
  tokenId: number,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Set<string>> {
  const holders = new Set<string>();
  for (let start = 0; start < addresses.length; start += ADDRESSES_AT_ONCE) {
    const part = addresses.slice(start, start + ADDRESSES_AT_ONCE);
    const { items } = await badge.checkOwners({ addresses: part, tokenIds: [tokenId] }, { signal });
    for (const { address, tokenIds } of items) {
      if (tokenIds.includes(tokenId)) holders.add(address.toLowerCase());
    }
  }
  return holders;
}

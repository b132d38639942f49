import type { BadgeClient } from '@badge/sdk';

/** Returns how many addresses have a badge whose time is over. */
export async function countExpired(
  badge: BadgeClient,
  tokenId: number,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  for await (const _ of badge.listOwners({ tokenId, status: 'expired', limit: 1_000 }, { signal }))
    count += 1;
  return count;
}

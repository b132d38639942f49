import type { BadgeClient, ClaimLink } from '@badge/sdk';

const PAGE_SIZE = 1_000;
/** A token has at most this many pages of links that were not used, and few that were. */
const MAX_PAGES = 200;

/** A link with its place in the list, which does not change, because no link is ever removed. */
export interface FoundLink {
  link: ClaimLink;
  offset: number;
}

/** Finds a link in the list of a badge, because the service has no call for one link. */
export async function findRoomLink(
  badge: BadgeClient,
  tokenId: number,
  claimLinkId: string,
  signal: AbortSignal,
): Promise<FoundLink | null> {
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const offset = page * PAGE_SIZE;
    const { data } = await badge.listClaimLinks({ tokenId, limit: PAGE_SIZE, offset }, { signal });
    const index = data.findIndex((link) => link.claimLinkId === claimLinkId);
    const link = data[index];
    if (link !== undefined) return { link, offset: offset + index };
    if (data.length < PAGE_SIZE) return null;
  }
  return null;
}

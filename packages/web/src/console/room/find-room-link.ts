import type { BadgeClient, ClaimLink } from '@badge/sdk';

const PAGE_SIZE = 1_000;
/** A badge has fewer links for rooms. */
const MAX_PAGES = 200;

/** A link with its place among those for rooms, which does not change, because no link is ever removed. */
export interface FoundLink {
  link: ClaimLink;
  offset: number;
}

/** Finds a link for a room in the list of a badge, because the service has no call for one link. */
export async function findRoomLink(
  badge: BadgeClient,
  tokenId: number,
  claimLinkId: string,
  signal: AbortSignal,
): Promise<FoundLink | null> {
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const offset = page * PAGE_SIZE;
    const { data } = await badge.listClaimLinks(
      { tokenId, isForRoom: true, limit: PAGE_SIZE, offset },
      { signal },
    );
    const index = data.findIndex((link) => link.claimLinkId === claimLinkId);
    const link = data[index];
    if (link !== undefined) return { link, offset: offset + index };
    if (data.length < PAGE_SIZE) return null;
  }
  return null;
}

import type { Community } from '@badge/sdk';
import { badge } from '../api.ts';
import { type Loaded, useLoaded } from '../use-loaded.ts';

const communities = new Map<string, Promise<Community>>();

/** Reads a community. Many badges of a page have the same community, so it is read only once. */
export function useCommunity(communityId: string): Loaded<Community> {
  return useLoaded(`community/${communityId}`, () => readCommunity(communityId));
}

/**
 * The name of a community, or the id if the community cannot be read. Until it is read, a space keeps the
 * line's height.
 */
export function useCommunityName(communityId: string): string {
  const community = useCommunity(communityId);
  if (community.status === 'loading') return '\u00a0';
  return community.status === 'loaded' ? community.value.name : communityId;
}

function readCommunity(communityId: string): Promise<Community> {
  const known = communities.get(communityId);
  if (known !== undefined) return known;
  const community = badge.getCommunity({ communityId });
  communities.set(communityId, community);
  // A failed read is repeated when the community is needed again.
  community.catch(() => communities.delete(communityId));
  return community;
}

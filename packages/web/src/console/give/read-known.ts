import type { BadgeClient } from '@badge/sdk';
import { isAddress } from '../../urls.ts';
import { type KnownPeople, toKey } from './judge-lines.ts';

const PAGE_SIZE = 1_000;
const ADDRESSES_AT_ONCE = 1_000;

/** Asks the service who of these people has the badge, is on its list or has a link. */
export async function readKnownPeople(
  badge: BadgeClient,
  token: { tokenId: number; isAllowlisted: boolean },
  recipients: readonly string[],
  signal: AbortSignal,
): Promise<KnownPeople> {
  const { tokenId, isAllowlisted } = token;
  const addresses = [...new Set(recipients.filter(isAddress).map(toKey))];
  const holders = new Set<string>();
  for (let start = 0; start < addresses.length; start += ADDRESSES_AT_ONCE) {
    const part = addresses.slice(start, start + ADDRESSES_AT_ONCE);
    const { items } = await badge.checkOwners({ addresses: part, tokenIds: [tokenId] }, { signal });
    for (const { address, tokenIds } of items) {
      if (tokenIds.includes(tokenId)) holders.add(address.toLowerCase());
    }
  }
  const contributors = new Map<string, { hasClaimed: boolean }>();
  const linked = new Set<string>();
  // An open badge has no list, and its links do not say whom they are for.
  if (isAllowlisted) {
    for await (const entry of badge.listContributors({ tokenId, limit: PAGE_SIZE }, { signal })) {
      contributors.set(toKey(entry.contributor), entry);
    }
    const links = badge.listClaimLinks({ tokenId, status: 'unused', limit: PAGE_SIZE }, { signal });
    for await (const { identifier } of links) if (identifier !== null) linked.add(toKey(identifier));
  }
  return { holders, contributors, linked };
}

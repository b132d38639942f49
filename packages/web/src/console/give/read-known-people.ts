import type { BadgeClient, Contributor, Invitation, Token } from '@badge/sdk';
import { isAddress } from '../../urls.ts';
import { findHolders } from '../find-holders.ts';
import type { PersonLine } from './person-line.ts';
import { type KnownPeople, toKey, toNameKey } from './plan-lines.ts';

const PAGE_SIZE = 1_000;

/** An entry of the list for whoever has a link for a room. It names nobody. */
const LINK_PREFIX = 'claimLink:';

/**
 * Reads who is on the list of a badge and has neither claimed it nor a link that works. `lines` are these
 * people, with those who claim with their address, and without who signed the badge.
 */
export async function readWaitingPeople(
  badge: BadgeClient,
  { tokenId, createdByAddress }: Pick<Token, 'tokenId' | 'createdByAddress'>,
  signal: AbortSignal,
): Promise<{ lines: PersonLine[]; withoutLink: number }> {
  const { contributors, linked } = await readKnownPeople(badge, { tokenId, isAllowlisted: true }, [], signal);
  const lines: PersonLine[] = [];
  let withoutLink = 0;
  for (const [key, { contributor, hasClaimed }] of contributors) {
    if (hasClaimed || linked.has(key) || contributor.startsWith(LINK_PREFIX)) continue;
    if (key === toKey(createdByAddress)) continue;
    lines.push({ line: lines.length + 1, name: '', recipient: contributor, email: '' });
    if (!isAddress(contributor)) withoutLink += 1;
  }
  return { lines, withoutLink };
}

/**
 * Asks the service who of these people has the badge, is on its list, or has a link or an invitation.
 * `hasNames`: whether there are people of whom only a name is known.
 */
export async function readKnownPeople(
  badge: BadgeClient,
  token: { tokenId: number; isAllowlisted: boolean; hasNames?: boolean },
  recipients: readonly string[],
  signal: AbortSignal,
): Promise<KnownPeople & { contributors: Map<string, Contributor> }> {
  const { tokenId, isAllowlisted, hasNames = false } = token;
  const addresses = [...new Set(recipients.filter(isAddress).map(toKey))];
  const holders = await findHolders(badge, tokenId, addresses, signal);
  const contributors = new Map<string, Contributor>();
  const linked = new Set<string>();
  // An open badge has no list, and its links do not say whom they are for.
  if (isAllowlisted) {
    for await (const entry of badge.listContributors({ tokenId, limit: PAGE_SIZE }, { signal })) {
      contributors.set(toKey(entry.contributor), entry);
    }
    const links = badge.listClaimLinks({ tokenId, status: 'unused', limit: PAGE_SIZE }, { signal });
    for await (const { identifier } of links) if (identifier !== null) linked.add(toKey(identifier));
  }
  const names = hasNames ? await readNames(badge, tokenId, signal) : new Map();
  return { holders, contributors, linked, names, ...(await readInvitations(badge, tokenId, signal)) };
}

/** Whose link has ended can get another one. */
async function readNames(
  badge: BadgeClient,
  tokenId: number,
  signal: AbortSignal,
): Promise<KnownPeople['names']> {
  const names = new Map<string, { hasClaimed: boolean }>();
  const people = badge.listRecipients({ tokenId, way: 'link', limit: PAGE_SIZE }, { signal });
  for await (const { name, email, identifier, status } of people) {
    if (name === null || email !== null || identifier !== null || status === 'expired') continue;
    names.set(toNameKey(name), { hasClaimed: status !== 'linked' });
  }
  return names;
}

/**
 * An invitation that is revoked, or whose link has ended, does not hold any more: the person can be invited
 * again.
 */
async function readInvitations(
  badge: BadgeClient,
  tokenId: number,
  signal: AbortSignal,
): Promise<Pick<KnownPeople, 'invitations' | 'told'>> {
  const told = new Set<string>();
  const statuses = new Map<string, Invitation['status']>();
  for await (const invitation of badge.listInvitations({ tokenId, limit: PAGE_SIZE }, { signal })) {
    const { email, address, status, expiresAtTimestamp } = invitation;
    const isExpired = expiresAtTimestamp !== null && expiresAtTimestamp <= Date.now();
    if (email === null || status === 'revoked' || isExpired) continue;
    statuses.set(toKey(email), status);
    if (address !== null && ['scheduled', 'queued', 'sent'].includes(status)) told.add(toKey(address));
  }
  return { invitations: statuses, told };
}

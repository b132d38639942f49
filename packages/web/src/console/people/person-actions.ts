import type { BadgeClient, Recipient, Role, Token } from '@badge/sdk';

/** What can be done with many people at once. */
export const MANY_ACTIONS = ['renew', 'revoke', 'resend', 'remove'] as const;
export type ManyAction = (typeof MANY_ACTIONS)[number];

export const ROLE_FOR = {
  renew: 'issuer',
  revoke: 'editor',
  resend: 'issuer',
  remove: 'issuer',
} as const satisfies Record<ManyAction, Role>;

/** Whoever has the badge, or has had it, stays in the list. */
const KEPT: readonly Recipient['status'][] = ['claimed', 'burnt', 'revoked', 'moved'];
const MAILED: readonly Recipient['status'][] = ['invited', 'failed'];

/** Whether the person has the badge, valid or expired. A link or an invitation can expire, too. */
export function hasBadge({ status, claimedAtTimestamp }: Recipient): boolean {
  return status === 'claimed' || (status === 'expired' && claimedAtTimestamp !== null);
}

/** Whether the service would do this with a person. */
export function isPossible(action: ManyAction, person: Recipient): boolean {
  const { status, address, email, invitationId, validUntilTimestamp } = person;
  if (action === 'renew') return hasBadge(person) && address !== null && validUntilTimestamp !== null;
  if (action === 'revoke') return hasBadge(person) && address !== null;
  if (action === 'resend') return MAILED.includes(status) && invitationId !== null && email !== null;
  return !KEPT.includes(status) && !hasBadge(person);
}

interface Change {
  token: Token;
  /** Of a revocation. */
  reason: string;
  /** One for this person and this press of the button, so that a repeated request has no second effect. */
  idempotencyKey: string;
}

/** Does it, and returns when it is done. */
export async function changePerson(
  badge: BadgeClient,
  action: Exclude<ManyAction, 'renew'>,
  person: Recipient,
  { token, reason, idempotencyKey }: Change,
): Promise<void> {
  const { tokenId } = token;
  const { address, invitationId } = person;
  const options = { idempotencyKey };
  if (action === 'remove') await remove(badge, person, token, options);
  else if (action === 'resend') {
    if (invitationId !== null) await badge.resendInvitation({ tokenId, invitationId }, options);
  } else if (address !== null) await (await badge.revoke({ tokenId, address, reason }, options)).wait();
}

/** Ends whatever lets the person claim: the mail, the link and the entry of the list. */
async function remove(
  badge: BadgeClient,
  { status, identifier, address, invitationId, claimLinkId }: Recipient,
  { tokenId, claimabilityAttributes }: Token,
  options: { idempotencyKey: string },
): Promise<void> {
  const entry = claimabilityAttributes.isAllowlistRequired ? (identifier ?? address) : null;
  // Somebody whose invitation was revoked before is only on the list.
  if (invitationId !== null && status !== 'listed') await badge.revokeInvitation({ tokenId, invitationId });
  else if (entry === null && claimLinkId !== null) await badge.revokeClaimLink({ tokenId, claimLinkId });
  if (entry === null) return;
  await (await badge.removeContributors({ tokenId, contributors: [entry] }, options)).wait();
}

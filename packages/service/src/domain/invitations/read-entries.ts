import type { RequestError } from '@badge/protocol';
import type { DatabaseTransaction } from '../../context.ts';
import { findListedContributors } from '../../storage/claims.ts';
import { findInvitedEntries, type InvitationRow } from '../../storage/invitations.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { checkNoErrors, Refusal } from '../refusal.ts';
import type { Recipient } from './rules.ts';

/** Throws if recipients with addresses are for an open token, which has no entries. */
export function checkHasEntries(
  token: Pick<TokenSummaryRow, 'is_allowlist_required'>,
  recipients: Pick<Recipient, 'address'>[],
): void {
  if (token.is_allowlist_required || recipients.every(({ address }) => address === null)) return;
  throw new Refusal('AllowlistMismatch', 'This token is open, so it has no allowlist: send no address.');
}

/**
 * Throws if the invitation that an e-mail has is not for the entry of the recipient's address. Without an
 * address, any invitation is right.
 */
export function checkSameEntries(
  recipients: (Recipient & { invitation: Pick<InvitationRow, 'contributor_key'> | undefined })[],
): void {
  checkNoErrors(
    recipients.flatMap(({ address, index, invitation }): RequestError[] => {
      if (address === null || invitation === undefined) return [];
      const { contributor_key: invitedKey } = invitation;
      if (invitedKey?.equals(address)) return [];
      const detail =
        invitedKey === null
          ? 'has an invitation with a claim link already; revoke it first'
          : 'has an invitation for another wallet already; revoke it first';
      return [{ pointer: `/recipients/${index}/email`, detail }];
    }),
  );
}

/** Throws unless each address is on the token's allowlist, and has neither claimed nor an invitation. */
export async function checkEntries(
  tx: DatabaseTransaction,
  tokenId: number,
  recipients: Recipient[],
): Promise<void> {
  const keys = recipients.flatMap(({ address }) => (address === null ? [] : [address]));
  if (keys.length === 0) return;
  const listed = await findListedContributors(tx, tokenId, keys);
  const byKey = new Map(listed.map((entry) => [entry.contributor_key.toString('hex'), entry]));
  const invited = await findInvitedEntries(tx, { tokenId, contributorKeys: keys });
  const invitedKeys = new Set(invited.map((key) => key.toString('hex')));
  checkNoErrors(
    recipients.flatMap(({ address, index }): RequestError[] => {
      if (address === null) return [];
      const key = address.toString('hex');
      const entry = byKey.get(key);
      const pointer = `/recipients/${index}/address`;
      if (entry === undefined) return [{ pointer, detail: "is not on the token's allowlist; add it first" }];
      if (entry.has_claimed) return [{ pointer, detail: 'has already claimed this token' }];
      return invitedKeys.has(key)
        ? [{ pointer, detail: 'has an invitation for another e-mail already; revoke it first' }]
        : [];
    }),
  );
}

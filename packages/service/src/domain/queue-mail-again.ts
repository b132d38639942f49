import { randomUUID } from 'node:crypto';
import type { DatabaseTransaction } from '../context.ts';
import type { Actor } from '../storage/audit-log.ts';
import { replaceClaimLink } from '../storage/claim-links.ts';
import { type InvitationRow, requeueInvitation } from '../storage/invitations.ts';
import { scheduleMails } from '../storage/mails.ts';
import { checkClaimLinkUsage } from './claim-links/read-usage.ts';
import { hashClaimCode, makeClaimCode } from './claim-links/rules.ts';
import type { MailContext } from './mail-service.ts';

/**
 * Queues another mail of an invitation or a reservation, with a new link. The old link is revoked. A mail
 * that is for an entry has none. Returns false, and changes nothing, if the actor has lost its right. The
 * token must be locked, and the link or the entry must not be used.
 */
export async function queueMailAgain(
  context: MailContext,
  tx: DatabaseTransaction,
  actor: Actor,
  invitation: Pick<
    InvitationRow,
    'invitation_id' | 'token_id' | 'community_id' | 'claim_link_id' | 'contributor_key'
  >,
): Promise<boolean> {
  const { invitation_id: invitationId, token_id: tokenId, community_id: communityId } = invitation;
  const { claim_link_id: claimLinkId } = invitation;
  if (invitation.contributor_key !== null) {
    const mail = { invitationId, mailId: randomUUID(), claimLinkId: null, code: null };
    const isQueued = await requeueInvitation(tx, actor, mail);
    if (isQueued) await scheduleMails(tx, { communityId });
    return isQueued;
  }
  if (claimLinkId === null) throw new Error(`invitation ${invitationId} has no link`);
  await checkClaimLinkUsage(context, tx, { token: invitation, added: 1 });
  const newClaimLinkId = randomUUID();
  const code = makeClaimCode();
  const isQueued = await requeueInvitation(tx, actor, {
    invitationId,
    mailId: randomUUID(),
    claimLinkId: newClaimLinkId,
    code: context.encryption.encrypt('claimCode', invitationId, code),
  });
  if (!isQueued) return false;
  const codeHash = hashClaimCode(tokenId, code);
  await replaceClaimLink(tx, { communityId, claimLinkId, newClaimLinkId, codeHash });
  await scheduleMails(tx, { communityId });
  return true;
}

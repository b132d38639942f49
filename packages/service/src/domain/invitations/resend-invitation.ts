import type { Invitation } from '@badge/protocol';
import type { Context, Repetition } from '../../context.ts';
import { findUnsubscribed } from '../../storage/mails.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { lockWritableToken } from '../lock-token.ts';
import { requireMail } from '../mail-service.ts';
import { countMails, mailboxFull } from '../mailbox-limits.ts';
import { queueMailAgain } from '../queue-mail-again.ts';
import { Refusal } from '../refusal.ts';
import { readWritableToken } from '../tokens/read-token.ts';
import { readInvitationRow, toInvitation } from './list-invitations.ts';

/**
 * Queues another mail of an invitation, with a new link if it has one. The old link is revoked. A repeated
 * request with the same `Idempotency-Key` only reads the invitation.
 */
export async function resendInvitation(
  context: Context,
  caller: Caller,
  {
    tokenId,
    invitationId,
    repetition,
  }: { tokenId: string; invitationId: string; repetition: Repetition | undefined },
): Promise<Invitation> {
  const token = await readWritableToken(context, caller, tokenId);
  const { token_id, community_id: communityId } = token;
  const mailContext = requireMail(context);
  const id = { tokenId: token_id, invitationId };
  if (repetition && repetition.earlierIds !== null) {
    return toInvitation(context, await readInvitationRow(context.database, id));
  }
  await context.transaction(async (tx) => {
    // While the token is locked, nobody can claim with the old link.
    await lockWritableToken(tx, token_id);
    const invitation = await readInvitationRow(tx, id);
    const { status, is_expired, email_hash: emailHash, mailbox_hash: mailboxHash } = invitation;
    if (['claimed', 'revoked', 'unsubscribed'].includes(status)) throw ended(`is ${status}`);
    if (is_expired) throw ended('has ended');
    if (emailHash === null || mailboxHash === null) throw ended('has no address any more');
    const unsubscribed = await findUnsubscribed(tx, { communityId, hashes: [emailHash, mailboxHash] });
    if (unsubscribed.length > 0) throw ended('is for a person who wants no more mails');
    const [tooMany] = await countMails(tx, 'repeated', [mailboxHash]);
    if (tooMany !== undefined) throw mailboxFull(tooMany.seconds);
    const isQueued = await queueMailAgain(mailContext, tx, toActor(caller), invitation);
    if (!isQueued) await checkMayStillWrite(tx, caller, communityId);
    await repetition?.record(tx, [invitationId]);
  });
  return toInvitation(context, await readInvitationRow(context.database, id));
}

function ended(what: string): Refusal {
  return new Refusal('InvitationEnded', `The invitation ${what}, so it cannot be sent again.`);
}

import type { Invitation, UpdateInvitationBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { moveInvitation } from '../../storage/invitations.ts';
import { scheduleMails } from '../../storage/mails.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { lockWritableToken } from '../lock-token.ts';
import { requireMail } from '../mail-service.ts';
import { Refusal } from '../refusal.ts';
import { readWritableToken } from '../tokens/read-token.ts';
import { readInvitationRow, toInvitation } from './list-invitations.ts';
import { toSendAt } from './rules.ts';

/** Moves the time at which a scheduled invitation is sent. */
export async function updateInvitation(
  context: Context,
  caller: Caller,
  { tokenId, invitationId, body }: { tokenId: string; invitationId: string; body: UpdateInvitationBody },
): Promise<Invitation> {
  const { token_id, community_id: communityId } = await readWritableToken(context, caller, tokenId);
  requireMail(context);
  const id = { tokenId: token_id, invitationId };
  await context.transaction(async (tx) => {
    await lockWritableToken(tx, token_id);
    const { status, expires_at: expiresAt } = await readInvitationRow(tx, id);
    const sendAt = toSendAt(body.sendAtTimestamp);
    if (status !== 'scheduled') throw notScheduled(`is ${status}`);
    if (sendAt !== null && expiresAt !== null && sendAt >= expiresAt)
      throw new Refusal('InvalidRequest', 'The link of the invitation ends before this time.', {
        errors: [{ pointer: '/sendAtTimestamp', detail: 'must be before the link ends' }],
      });
    if (!(await moveInvitation(tx, toActor(caller), { invitationId, sendAt }))) {
      await checkMayStillWrite(tx, caller, communityId);
      throw notScheduled('is being sent');
    }
    await scheduleMails(tx, { communityId });
  });
  return toInvitation(context, await readInvitationRow(context.database, id));
}

function notScheduled(what: string): Refusal {
  return new Refusal('InvitationNotScheduled', `The invitation ${what}, so its time cannot be moved.`);
}

import type { Context } from '../../context.ts';
import { revokeClaimLinks } from '../../storage/claim-links.ts';
import { revokeInvitation as revokeStored } from '../../storage/invitations.ts';
import { removeInvited } from '../../storage/recipients.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { describeClaimRefusal } from '../claims/rules.ts';
import { lockWritableToken } from '../lock-token.ts';
import { Refusal } from '../refusal.ts';
import { readWritableToken } from '../tokens/read-token.ts';
import { readInvitationRow } from './list-invitations.ts';

/**
 * Revokes an invitation with its link. A claimed one cannot be revoked. One that is already revoked stays
 * revoked.
 */
export async function revokeInvitation(
  context: Context,
  caller: Caller,
  { tokenId, invitationId }: { tokenId: string; invitationId: string },
): Promise<void> {
  const { token_id, community_id: communityId } = await readWritableToken(context, caller, tokenId);
  await context.transaction(async (tx) => {
    // While the token is locked, nobody can claim with the link.
    await lockWritableToken(tx, token_id);
    const invitation = await readInvitationRow(tx, { tokenId: token_id, invitationId });
    if (invitation.status === 'claimed')
      throw new Refusal('ClaimCodeUsed', describeClaimRefusal('ClaimCodeUsed'));
    if (!(await revokeStored(tx, toActor(caller), invitationId))) {
      await checkMayStillWrite(tx, caller, communityId);
      return;
    }
    if (invitation.claim_link_id === null) {
      await removeInvited(tx, { tokenId: token_id, invitationId });
      return;
    }
    await revokeClaimLinks(tx, toActor(caller), {
      communityId,
      claimLinkIds: [invitation.claim_link_id],
      isRecordedByCaller: true,
    });
  });
}

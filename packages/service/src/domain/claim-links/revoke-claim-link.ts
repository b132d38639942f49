import type { Context } from '../../context.ts';
import { findClaimLinkRow, revokeClaimLinks } from '../../storage/claim-links.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { describeClaimRefusal } from '../claims/rules.ts';
import { isUuid } from '../ids.ts';
import { lockWritableToken } from '../lock-token.ts';
import { Refusal } from '../refusal.ts';
import { readWritableToken } from '../tokens/read-token.ts';
import { claimLinkNotFound } from './rules.ts';

/**
 * Revokes a claim link. A used link for one claim cannot be revoked. A link that is already revoked stays
 * revoked.
 */
export async function revokeClaimLink(
  context: Context,
  caller: Caller,
  { tokenId, claimLinkId }: { tokenId: string; claimLinkId: string },
): Promise<void> {
  const { token_id, community_id } = await readWritableToken(context, caller, tokenId);
  if (!isUuid(claimLinkId)) throw claimLinkNotFound();
  await context.transaction(async (tx) => {
    // While the token is locked, no claim can use the link.
    await lockWritableToken(tx, token_id);
    const link = await findClaimLinkRow(tx, { tokenId: token_id, claimLinkId });
    if (link === undefined) throw claimLinkNotFound();
    if (link.status === 'used' && link.max_claims === null) {
      throw new Refusal('ClaimCodeUsed', describeClaimRefusal('ClaimCodeUsed'));
    }
    const links = { communityId: community_id, claimLinkIds: [claimLinkId] };
    if (!(await revokeClaimLinks(tx, toActor(caller), links))) {
      await checkMayStillWrite(tx, caller, community_id);
    }
  });
}

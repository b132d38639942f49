import type { Context } from '../../context.ts';
import { findClaimLinkStatus, revokeClaimLink as revokeStoredClaimLink } from '../../storage/claim-links.ts';
import { lockTokens } from '../../storage/claims.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import { describeClaimRefusal } from '../claims/rules.ts';
import { isUuid } from '../ids.ts';
import { Refusal } from '../refusal.ts';
import { readTokenRow } from '../tokens/read-token.ts';

/** Revokes a claim link that is not used. A link that is already revoked stays revoked. */
export async function revokeClaimLink(
  context: Context,
  caller: Caller,
  { tokenId, claimLinkId }: { tokenId: string; claimLinkId: string },
): Promise<void> {
  const { token_id, community_id } = await readTokenRow(context, tokenId);
  await checkMayActFor(context, caller, community_id);
  if (!isUuid(claimLinkId)) throw claimLinkNotFound();
  await context.transaction(async (tx) => {
    // While the token is locked, no claim can use the link.
    await lockTokens(tx, [token_id]);
    const status = await findClaimLinkStatus(tx, { tokenId: token_id, claimLinkId });
    if (status === undefined) throw claimLinkNotFound();
    if (status === 'used') throw new Refusal('ClaimCodeUsed', describeClaimRefusal('ClaimCodeUsed'));
    const link = { communityId: community_id, claimLinkId };
    if (!(await revokeStoredClaimLink(tx, toActor(caller), link))) {
      await checkMayStillWrite(tx, caller, community_id);
    }
  });
}

function claimLinkNotFound(): Refusal {
  return new Refusal('ClaimLinkNotFound', 'The token has no claim link with this id.');
}

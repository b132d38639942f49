import type { DatabaseTransaction } from '../../context.ts';
import type { ClaimLinkRow } from '../../storage/claim-links.ts';
import { readClaimStates } from '../../storage/claims.ts';
import { type ClaimRefusal, findClaimRefusals } from '../claims/rules.ts';

/** Returns why a claim with the code of the link would be refused now; undefined if it would not. */
export async function findSourceRefusal(
  tx: DatabaseTransaction,
  { tokenId, source }: { tokenId: number; source: ClaimLinkRow },
): Promise<ClaimRefusal | undefined> {
  const claim = { tokenId, address: null, clientHash: null, claimLinkId: source.claim_link_id };
  const identifierKey = source.max_claims === null ? source.contributor_key : null;
  const [state] = await readClaimStates(tx, [{ ...claim, identifierKey }]);
  if (state === undefined) throw new Error(`token ${tokenId} is missing`);
  const [first] = findClaimRefusals(state, { isAllowlistBypassed: false, claimLinkId: source.claim_link_id });
  return first;
}

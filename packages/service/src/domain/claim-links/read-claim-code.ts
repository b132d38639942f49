import type { ClaimCodeCheck } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { findClaimLink } from '../../storage/claim-links.ts';
import { readClaimRefusals } from '../claims/read-eligibility.ts';
import { readTokenRow } from '../tokens/read-token.ts';
import { hashClaimCode } from './rules.ts';

/** Returns whether a claim with this code would be granted now, and if not, the reasons. */
export async function readClaimCode(
  context: Context,
  tokenId: string,
  claimCode: string,
): Promise<ClaimCodeCheck> {
  const { token_id, is_signature_required: isSignatureRequired } = await readTokenRow(context, tokenId);
  const link = await findClaimLink(context.database, token_id, hashClaimCode(claimCode));
  if (link === undefined) return { canClaim: false, isSignatureRequired, reasons: ['ClaimCodeInvalid'] };
  const reasons = await readClaimRefusals(context, {
    tokenId: token_id,
    address: null,
    identifierKey: link.contributor_key,
    isAllowlistBypassed: false,
    claimLinkId: link.claim_link_id,
  });
  return { canClaim: reasons.length === 0, isSignatureRequired, reasons };
}

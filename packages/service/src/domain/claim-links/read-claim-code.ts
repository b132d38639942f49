import type { ClaimCodeCheck } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { findClaimLink } from '../../storage/claim-links.ts';
import { readClaimRefusals } from '../claims/read-eligibility.ts';
import { readTokenRow } from '../tokens/read-token.ts';
import { hashClient, toSentCode } from './rules.ts';

/**
 * Returns whether a claim with this code would be granted now, and if not, the reasons. If this client can
 * claim only with a signature, this is no reason, but `isSignatureRequired` is true.
 */
export async function readClaimCode(
  context: Context,
  { tokenId, claimCode, client }: { tokenId: string; claimCode: string; client: string },
): Promise<ClaimCodeCheck> {
  const token = await readTokenRow(context, tokenId);
  const { is_signature_required: isSignatureRequired } = token;
  const code = toSentCode(token, claimCode);
  const link = await findClaimLink(context.database, code);
  if (link === undefined) {
    return { canClaim: false, isSignatureRequired, reasons: ['ClaimCodeInvalid'] };
  }
  const refusals = await readClaimRefusals(context, {
    tokenId: code.tokenId,
    address: null,
    identifierKey: link.is_for_room ? null : link.contributor_key,
    isAllowlistBypassed: false,
    claimLinkId: link.claim_link_id,
    clientHash: link.is_for_room ? hashClient(link.made_for_token_id, claimCode, client) : null,
  });
  const reasons = refusals.filter((name) => name !== 'SignatureRequired');
  return {
    canClaim: reasons.length === 0,
    isSignatureRequired:
      isSignatureRequired || link.is_signature_required || reasons.length < refusals.length,
    reasons,
  };
}

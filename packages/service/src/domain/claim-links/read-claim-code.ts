import type { ClaimCodeCheck } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { findClaimLink } from '../../storage/claim-links.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { readClaimRefusals } from '../claims/read-eligibility.ts';
import { withTokenRow } from '../tokens/read-token.ts';
import { hashClient, toSentCode } from './rules.ts';

/**
 * Returns whether a claim with this code would be granted now, and if not, the reasons. If this client can
 * claim only with a signature, this is no reason, but `isSignatureRequired` is true.
 */
export async function readClaimCode(
  context: Context,
  { tokenId, ...sent }: { tokenId: string; claimCode: string; client: string },
): Promise<ClaimCodeCheck> {
  return await withTokenRow(
    context,
    tokenId,
    (token) => checkClaimCode(context, token, sent),
    ({ canClaim }) => !canClaim,
  );
}

async function checkClaimCode(
  context: Context,
  token: TokenSummaryRow,
  { claimCode, client }: { claimCode: string; client: string },
): Promise<ClaimCodeCheck> {
  const { is_signature_required: isSignatureRequired } = token;
  const code = toSentCode(token, claimCode);
  const link = await findClaimLink(context.database, code);
  if (link === undefined) {
    return {
      canClaim: false,
      isSignatureRequired,
      isWalletRequired: isSignatureRequired,
      reasons: ['ClaimCodeInvalid'],
    };
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
  const isWalletRequired = isSignatureRequired || link.is_signature_required;
  return {
    canClaim: reasons.length === 0,
    isSignatureRequired: isWalletRequired || reasons.length < refusals.length,
    isWalletRequired,
    reasons,
  };
}

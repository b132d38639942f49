import type { Eligibility, ErrorName } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { type Address, parseAddress } from '../../signatures/address.ts';
import type { ClaimRequest, ClaimState, ClaimSubject } from '../../storage/claims.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { Refusal } from '../refusal.ts';
import { withTokenRow } from '../tokens/read-token.ts';
import { type ClaimRefusal, describeClaimRefusal, findClaimRefusals } from './rules.ts';

/** Returns whether a claim by this address would be granted now, and if not, every reason. */
export async function readEligibility(
  context: Context,
  tokenId: string,
  address: string,
): Promise<Eligibility> {
  return await withTokenRow(
    context,
    tokenId,
    (token) => readEligibilityFor(context, token, parseAddress(address)),
    ({ canClaim }) => !canClaim,
  );
}

async function readEligibilityFor(
  context: Context,
  token: TokenSummaryRow,
  address: Address,
): Promise<Eligibility> {
  const request = {
    tokenId: token.token_id,
    address,
    identifierKey: null,
    isAllowlistBypassed: false,
    claimLinkId: null,
    clientHash: null,
  };
  const state = await readClaimState(context, request);
  const reasons: ErrorName[] =
    token.replaced_by_token_id === null ? findClaimRefusals(state, request) : ['TokenReplaced'];
  return {
    canClaim: reasons.length === 0,
    isSignatureRequired: token.is_signature_required,
    reasons,
    ownership: state.ownership,
    validUntilTimestamp: state.validUntil?.getTime() ?? null,
  };
}

/** Throws if a claim would fail now. The worker decides again when it settles the claim. */
export async function checkEligible(context: Context, request: ClaimRequest): Promise<void> {
  const [refusal] = await readClaimRefusals(context, request);
  if (refusal !== undefined) throw new Refusal(refusal, describeClaimRefusal(refusal));
}

/** Returns the reasons to refuse a claim now, as `findClaimRefusals` does. */
export async function readClaimRefusals(
  context: Context,
  request: ClaimSubject & Pick<ClaimRequest, 'isAllowlistBypassed'>,
): Promise<ClaimRefusal[]> {
  return findClaimRefusals(await readClaimState(context, request), request);
}

async function readClaimState(context: Context, subject: ClaimSubject): Promise<ClaimState> {
  const state = await context.lookUps.findClaimState(subject);
  if (state === undefined) throw new Error(`token ${subject.tokenId} is missing`);
  return state;
}

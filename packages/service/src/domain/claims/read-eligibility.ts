import type { Eligibility } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { readClaimStates } from '../../storage/claims.ts';
import { toAddress } from '../addresses/rules.ts';
import { readTokenRow } from '../tokens/read-token-row.ts';
import { findClaimRefusals } from './rules.ts';

/** Tells what a claim by this address would be told now. */
export async function readEligibility(
  context: Context,
  tokenId: string,
  address: string,
): Promise<Eligibility> {
  const token = await readTokenRow(context, tokenId);
  const claim = {
    tokenId: token.token_id,
    address: toAddress(address).toString('hex'),
    identifierKey: null,
    isAllowlistBypassed: false,
  };
  const states = await readClaimStates(context.database, [claim]);
  const reasons = states.flatMap((state) => findClaimRefusals(state, claim));
  return { canClaim: reasons.length === 0, isSignatureRequired: token.is_signature_required, reasons };
}

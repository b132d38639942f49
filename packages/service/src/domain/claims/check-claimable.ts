import type { Context } from '../../context.ts';
import { type ClaimRequest, readClaimStates } from '../../storage/claims.ts';
import { Refusal } from '../refusal.ts';
import { describeClaimRefusal, findClaimRefusals } from './rules.ts';

/** Refuses a claim that is already known to fail; what changes until it is settled is decided then. */
export async function checkClaimable(context: Context, request: ClaimRequest): Promise<void> {
  const [state] = await readClaimStates(context.database, [request]);
  if (state === undefined) throw new Refusal('TokenNotFound', 'There is no token with this id.');
  const [refusal] = findClaimRefusals(state, request);
  if (refusal !== undefined) throw new Refusal(refusal, describeClaimRefusal(refusal));
}

import type { ReinstateBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import { findOwner } from '../../storage/ownership.ts';
import { type AcceptedOperation, acceptOperation } from '../accept-operation.ts';
import { parseAddressParameter } from '../address-errors.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { Refusal } from '../refusal.ts';
import { readTokenRow } from '../tokens/read-token.ts';
import { identifyRequestAboutToken, TOKEN_NOT_REVOKED, toSubject } from './rules.ts';

/** Accepts the reinstatement of a token that was revoked. */
export async function requestReinstatement(
  context: Context,
  caller: Caller,
  request: { tokenId: string; address: string; body: ReinstateBody; key: OperationKey | null },
): Promise<AcceptedOperation> {
  const address = parseAddressParameter(request.address);
  const token = await readTokenRow(context, request.tokenId);
  await checkMayActFor(context, caller, token.community_id);
  const owner = await findOwner(context.database, token.token_id, address);
  if (owner?.status !== 'revoked') throw new Refusal('TokenNotRevoked', TOKEN_NOT_REVOKED);
  return await acceptOperation(context, {
    operationType: 'reinstate',
    communityId: token.community_id,
    caller,
    key: request.key,
    requestIdentity: identifyRequestAboutToken('reinstate', token.token_id, [
      toSubject(address, owner.status_changed_at),
    ]),
    reason: request.body.reason,
    request: { tokenId: token.token_id, address },
  });
}

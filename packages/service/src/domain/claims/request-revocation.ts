import type { RevokeBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import { findOwner } from '../../storage/ownership.ts';
import { type AcceptedOperation, acceptOperation } from '../accept-operation.ts';
import { parseAddressParameter } from '../address-errors.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { Refusal } from '../refusal.ts';
import { readTokenRow } from '../tokens/read-token.ts';
import { identifyRequestAboutToken, TOKEN_NOT_OWNED, toSubject } from './rules.ts';

/** Accepts the revocation of a token that an address holds. */
export async function requestRevocation(
  context: Context,
  caller: Caller,
  request: { tokenId: string; address: string; body: RevokeBody; key: OperationKey | null },
): Promise<AcceptedOperation> {
  const address = parseAddressParameter(request.address);
  const token = await readTokenRow(context, request.tokenId);
  await checkMayActFor(context, caller, token.community_id);
  const owner = await findOwner(context.database, token.token_id, address);
  if (owner?.status !== 'held') throw new Refusal('TokenNotOwned', TOKEN_NOT_OWNED);
  return await acceptOperation(context, {
    operationType: 'revoke',
    communityId: token.community_id,
    caller,
    key: request.key,
    requestIdentity: identifyRequestAboutToken('revoke', token.token_id, [
      toSubject(address, owner.status_changed_at),
    ]),
    reason: request.body.reason,
    request: { tokenId: token.token_id, address },
  });
}

import type { ReinstateBody, RevokeBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import { findOwner, type OwnerRow } from '../../storage/ownership.ts';
import { type AcceptedOperation, acceptOperation } from '../accept-operation.ts';
import { parseAddressParameter } from '../address-errors.ts';
import type { Caller } from '../caller.ts';
import { Refusal } from '../refusal.ts';
import { withWritableToken } from '../tokens/read-token.ts';
import {
  hasToken,
  identifyRequestAboutToken,
  TOKEN_NOT_OWNED,
  TOKEN_NOT_REVOKED,
  toSubject,
} from './rules.ts';

// Whose token each operation changes, and the refusal for all others.
const STATUS_CHANGES = {
  revoke: { mayChange: hasToken, errorName: 'TokenNotOwned', detail: TOKEN_NOT_OWNED },
  reinstate: {
    mayChange: ({ status }: Pick<OwnerRow, 'status'>) => status === 'revoked',
    errorName: 'TokenNotRevoked',
    detail: TOKEN_NOT_REVOKED,
  },
} as const;

/** Accepts the revocation of a token that an address holds, or the reinstatement of one that was revoked. */
export async function requestStatusChange(
  context: Context,
  caller: Caller,
  request: {
    operationType: keyof typeof STATUS_CHANGES;
    tokenId: string;
    address: string;
    body: RevokeBody | ReinstateBody;
    key: OperationKey | null;
  },
): Promise<AcceptedOperation> {
  const { operationType } = request;
  const { mayChange, errorName, detail } = STATUS_CHANGES[operationType];
  const address = parseAddressParameter(request.address);
  return await withWritableToken(context, caller, request.tokenId, async (token) => {
    const owner = await findOwner(context.database, token.token_id, address);
    if (owner === undefined || !mayChange(owner)) throw new Refusal(errorName, detail);
    return await acceptOperation(context, {
      operationType,
      communityId: token.community_id,
      caller,
      key: request.key,
      requestIdentity: identifyRequestAboutToken(operationType, token.token_id, [
        toSubject(address, owner.status_changed_at),
      ]),
      reason: request.body.reason,
      request: { tokenId: token.token_id, address },
    });
  });
}

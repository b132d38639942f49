import type { MoveBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { parseAddress } from '../../signatures/address.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import { type AcceptedOperation, acceptOperation } from '../accept-operation.ts';
import { parseAddressParameter } from '../address-errors.ts';
import type { Caller } from '../caller.ts';
import { Refusal } from '../refusal.ts';
import { withWritableToken } from '../tokens/read-token.ts';
import { readMoveRefusal } from './read-move-refusal.ts';
import { describeMoveRefusal, identifyRequestAboutToken, toSubject } from './rules.ts';

/** Accepts the move of a token from the address that holds it to another one. */
export async function requestMove(
  context: Context,
  caller: Caller,
  request: { tokenId: string; address: string; body: MoveBody; key: OperationKey | null },
): Promise<AcceptedOperation> {
  const address = parseAddressParameter(request.address);
  const toAddress = parseAddress(request.body.toAddress);
  return await withWritableToken(context, caller, request.tokenId, async (token) => {
    const move = { tokenId: token.token_id, address, toAddress };
    const { refusal, heldSince } = await readMoveRefusal(context.database, { ...move, isGift: true });
    if (refusal !== null) throw new Refusal(refusal, describeMoveRefusal(refusal));
    return await acceptOperation(context, {
      operationType: 'move',
      communityId: token.community_id,
      caller,
      key: request.key,
      // One subject, because the order of the two addresses matters.
      requestIdentity: identifyRequestAboutToken('move', token.token_id, [
        toSubject(Buffer.concat([address, toAddress]), heldSince),
      ]),
      reason: request.body.reason,
      request: move,
    });
  });
}

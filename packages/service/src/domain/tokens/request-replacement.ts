import { LIMITS, type ReplaceBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import { readReplacementState } from '../../storage/token-replacements.ts';
import { type AcceptedOperation, acceptOperation } from '../accept-operation.ts';
import type { Caller } from '../caller.ts';
import { identifyRequestAboutToken } from '../claims/rules.ts';
import { Refusal } from '../refusal.ts';
import { readTokenRow, readWritableToken } from './read-token.ts';
import { findReplacementRefusal } from './rules.ts';

/** Accepts the replacement of a token by another one, to which everybody is moved. */
export async function requestReplacement(
  context: Context,
  caller: Caller,
  request: { tokenId: string; body: ReplaceBody; key: OperationKey | null },
): Promise<AcceptedOperation> {
  const token = await readWritableToken(context, caller, request.tokenId);
  const { token_id: replacementTokenId } = await readTokenRow(
    context,
    String(request.body.replacementTokenId),
  );
  const replacement = { tokenId: token.token_id, replacementTokenId };
  const state = await readReplacementState(context.database, replacement, LIMITS.replacedPeople);
  const refusal = findReplacementRefusal(replacement, state);
  if (refusal !== null) throw new Refusal(refusal.name, refusal.detail);
  return await acceptOperation(context, {
    operationType: 'replace',
    communityId: token.community_id,
    caller,
    key: request.key,
    requestIdentity: identifyRequestAboutToken('replace', token.token_id, [
      Buffer.from(String(replacementTokenId)),
    ]),
    request: replacement,
  });
}

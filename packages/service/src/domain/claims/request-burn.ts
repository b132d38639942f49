import type { BurnBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { parseAddress } from '../../signatures/address.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import { findOwner } from '../../storage/ownership.ts';
import { type AcceptedOperation, acceptOperation } from '../accept-operation.ts';
import { beginTokenSignatureCheck, type RunChainCalls } from '../check-signature.ts';
import { Refusal } from '../refusal.ts';
import { withWritableToken } from '../tokens/read-token.ts';
import { hasToken, identifyRequestAboutToken, TOKEN_NOT_OWNED } from './rules.ts';

/** Accepts the burn of a token, signed by the address that holds it. */
export async function requestBurn(
  context: Context,
  {
    tokenId,
    body,
    key,
    runChainCalls,
  }: { tokenId: string; body: BurnBody; key: OperationKey | null; runChainCalls: RunChainCalls },
): Promise<AcceptedOperation> {
  return await withWritableToken(context, null, tokenId, async (token) => {
    const owner = parseAddress(body.burningAddress);
    const check = beginTokenSignatureCheck(context, {
      primaryType: 'Burn',
      token,
      signer: owner,
      signature: body.signature,
      refusal: 'NotSignedByOwner',
      runChainCalls,
    });
    const found = await findOwner(context.database, token.token_id, owner);
    if (found === undefined || !hasToken(found)) throw new Refusal('TokenNotOwned', TOKEN_NOT_OWNED);
    const signature = await check.finish();
    return await acceptOperation(context, {
      operationType: 'burn',
      communityId: token.community_id,
      caller: null,
      key,
      requestIdentity: identifyRequestAboutToken('burn', token.token_id, [owner]),
      signatures: [signature],
      request: { tokenId: token.token_id, address: owner },
    });
  });
}

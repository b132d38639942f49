import type { BurnBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { type Address, parseAddress } from '../../signatures/address.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import { findOwner } from '../../storage/ownership.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { type AcceptedOperation, acceptOperation } from '../accept-operation.ts';
import type { Caller } from '../caller.ts';
import { beginTokenSignatureCheck, type RunChainCalls } from '../check-signature.ts';
import { isOwnerSession } from '../is-owner-session.ts';
import { keptAddressOf } from '../kept-addresses.ts';
import { Refusal } from '../refusal.ts';
import { withWritableToken } from '../tokens/read-token.ts';
import { hasToken, identifyRequestAboutToken, TOKEN_NOT_OWNED } from './rules.ts';

/** Accepts the burn of a token, signed by the address that holds it, or with the session of its owner. */
export async function requestBurn(
  context: Context,
  caller: Caller | null,
  {
    tokenId,
    body,
    key,
    runChainCalls,
  }: { tokenId: string; body: BurnBody; key: OperationKey | null; runChainCalls: RunChainCalls },
): Promise<AcceptedOperation> {
  return await withWritableToken(context, null, tokenId, async (token) => {
    const { burningAddress, signature: sent } = body;
    const isSigned = burningAddress != null && sent != null;
    const owner = isSigned ? parseAddress(burningAddress) : await readOwnAddress(context, caller, token);
    const check = isSigned
      ? beginTokenSignatureCheck(context, {
          primaryType: 'Burn',
          token,
          signer: owner,
          signature: sent,
          refusal: 'NotSignedByOwner',
          runChainCalls,
        })
      : null;
    const found = await findOwner(context.database, token.token_id, owner);
    if (found === undefined || !hasToken(found)) throw new Refusal('TokenNotOwned', TOKEN_NOT_OWNED);
    const signature = await check?.finish();
    return await acceptOperation(context, {
      operationType: 'burn',
      communityId: token.community_id,
      caller: isSigned ? null : caller,
      isByOwner: true,
      key,
      requestIdentity: identifyRequestAboutToken('burn', token.token_id, [owner]),
      signatures: signature === undefined ? [] : [signature],
      request: { tokenId: token.token_id, address: owner },
    });
  });
}

// The address of who has signed in: the wallet, or that at which the community's badges are kept.
async function readOwnAddress(
  context: Context,
  caller: Caller | null,
  { community_id: communityId }: TokenSummaryRow,
): Promise<Address> {
  if (caller?.kind === 'emailSession') {
    return keptAddressOf(context, { communityId, emailHash: caller.emailHash });
  }
  if (caller?.kind !== 'session') throw new Error('the body of the burn was not checked');
  const { address } = caller;
  if (await isOwnerSession(context, caller, { communityId, address })) return address;
  throw new Refusal(
    'NotSignedByOwner',
    'The session is that of a contract wallet on another chain than those of the community.',
  );
}

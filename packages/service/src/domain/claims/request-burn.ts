import type { BurnBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { isOwner } from '../../storage/claims.ts';
import { acceptOperation } from '../accept-operation.ts';
import { toAddress } from '../addresses/rules.ts';
import { Refusal } from '../refusal.ts';
import { readTokenRow } from '../tokens/read-token-row.ts';
import { checkSignedBy } from './check-signed-by.ts';
import { identifyTokenRequest, TOKEN_NOT_OWNED } from './rules.ts';

/** Accepts the burning of a token by the address that holds it. */
export async function requestBurn(context: Context, tokenId: string, body: BurnBody): Promise<string> {
  const token = await readTokenRow(context, tokenId);
  const owner = toAddress(body.burningAddress);
  checkSignedBy(context, {
    primaryType: 'Burn',
    tokenId: token.token_id,
    address: owner,
    signature: body.signature,
    refusal: 'NotSignedByOwner',
  });
  if (!(await isOwner(context.database, token.token_id, owner))) {
    throw new Refusal('TokenNotOwned', TOKEN_NOT_OWNED);
  }
  const address = owner.toString('hex');
  return await acceptOperation(context, {
    operationType: 'burn',
    communityId: token.community_id,
    caller: null,
    requestIdentity: identifyTokenRequest('burn', token.token_id, [address]),
    request: { tokenId: token.token_id, address },
  });
}

import { createHash } from 'node:crypto';
import type { MoveBadgesBody } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { parseAddress, toChecksumAddress } from '../../signatures/address.ts';
import { readHolder } from '../../storage/holders.ts';
import type { OperationKey } from '../../storage/idempotency-keys.ts';
import type { MoveBadgesRequest } from '../../storage/move-badges.ts';
import { PEOPLE } from '../../storage/operations.ts';
import { type AcceptedOperation, acceptOperation } from '../accept-operation.ts';
import type { Caller } from '../caller.ts';
import { beginSignatureCheck, type RunChainCalls } from '../check-signature.ts';
import { Refusal } from '../refusal.ts';

/**
 * Accepts the move of all badges that are kept for an e-mail to a wallet, which has signed that it receives
 * them. A contract wallet is asked on the chain of the signing domain, because the badges can be of several
 * communities.
 */
export async function requestMoveBadges(
  context: Context,
  caller: Caller,
  {
    body,
    key,
    runChainCalls,
  }: { body: MoveBadgesBody; key: OperationKey | null; runChainCalls: RunChainCalls },
): Promise<AcceptedOperation> {
  if (caller.kind !== 'emailSession') {
    throw new Refusal('RoleNotAllowed', 'Only a session by e-mail can move the badges that are kept for it.');
  }
  const emailHash = caller.emailHash.toString('hex');
  const { moveNonce: nonce } = await readHolder(context.database, caller.emailHash);
  const toAddress = parseAddress(body.toAddress);
  const isDefault = body.isDefault ?? null;
  const check = beginSignatureCheck(context, {
    digest: context.typedData.receiveBadgesDigest({ emailHash, nonce }),
    signature: body.signature,
    signer: toAddress,
    refusal: 'NotSignedByReceiver',
    startDetail: () =>
      `The ReceiveBadges signature of {emailHash: ${emailHash}, nonce: ${nonce}} was not made by ${toChecksumAddress(toAddress)}`,
    findChainId: async () => context.settings.domain.chainId,
    runChainCalls,
  });
  const { signature, evidence } = await check.finish();
  const request: MoveBadgesRequest = { emailHash, nonce, toAddress, isDefault, signature, evidence };
  return await acceptOperation(context, {
    operationType: 'moveBadges',
    communityId: PEOPLE,
    caller,
    key,
    requestIdentity: createHash('sha256')
      .update(JSON.stringify(['moveBadges', emailHash, nonce, toAddress.toString('hex'), isDefault]))
      .digest(),
    request,
  });
}

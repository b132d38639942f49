import { randomUUID } from 'node:crypto';
import type { Operation } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { type Caller, toActor } from '../caller.ts';
import { Refusal } from '../refusal.ts';
import { checkBacklog } from './check-backlog.ts';

/** Writes the operation that settles a request later, and answers its id; refuses what stopped being valid meanwhile. */
export async function acceptOperation(
  context: Context,
  operation: {
    operationType: Operation['operationType'];
    communityId: string;
    caller: Caller | null;
    requestIdentity: Buffer;
    /** An NFT type of the community's own that must not be deleted. */
    nftTypeId?: string | null;
    request: object;
  },
): Promise<string> {
  checkBacklog(context);
  const { operationType, communityId, caller, requestIdentity, nftTypeId = null } = operation;
  const acceptance = await context.acceptOperation({
    operationId: randomUUID(),
    operationType,
    communityId,
    actor: toActor(caller),
    requestIdentity,
    nftTypeId,
    request: JSON.stringify(operation.request),
  });
  if (acceptance === 'apiKeyInvalid') {
    throw new Refusal('InvalidApiKey', 'The API key is expired or revoked.');
  }
  if (acceptance === 'nftTypeDeleted') {
    throw new Refusal('NftTypeNotFound', 'The community has no NFT type with this id.');
  }
  return acceptance.operationId;
}

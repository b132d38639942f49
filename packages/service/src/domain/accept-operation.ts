import { randomUUID } from 'node:crypto';
import type { Operation } from '@badge/protocol';
import type { Context } from '../context.ts';
import type { OperationKey } from '../storage/idempotency-keys.ts';
import { type NewSignature, serializeRequest } from '../storage/operations.ts';
import { type Caller, toActor } from './caller.ts';
import { apiKeyNoLongerValid, nftTypeNotFound, Refusal } from './refusal.ts';

// If operations arrive three times as fast as they are settled, a backlog of this age takes 45 seconds to settle.
const MAX_BACKLOG_AGE_MS = 15_000;

/** Whether the oldest pending operation has waited so long that new operations are refused. */
export function isBacklogTooOld({ backlogWatcher }: Pick<Context, 'backlogWatcher'>): boolean {
  return backlogWatcher.oldestAgeMs() > MAX_BACKLOG_AGE_MS;
}

/** An accepted operation. `isReplay`: an earlier, equal request created it. */
export interface AcceptedOperation {
  operationId: string;
  isReplay: boolean;
}

/** Stores an operation, which a worker settles later. */
export async function acceptOperation(
  context: Context,
  operation: {
    operationType: Operation['operationType'];
    communityId: string;
    caller: Caller | null;
    /** The request's idempotency key. If there is one, it alone decides whether the request is a repetition. */
    key: OperationKey | null;
    /** 32 bytes. Without a key, requests with the same identity are one operation. */
    requestIdentity: Buffer;
    /** The community's own NFT type that the request uses; it must not be deleted. */
    nftTypeId?: string | null;
    /** The signatures to store, unless `request` contains them. */
    signatures?: NewSignature[];
    request: object;
  },
): Promise<AcceptedOperation> {
  if (isBacklogTooOld(context)) {
    context.countBacklogRefusal();
    throw new Refusal(
      'Unavailable',
      'The oldest accepted operation has waited too long; no more are accepted until the backlog is settled.',
    );
  }
  const { operationType, communityId, caller, key, requestIdentity, nftTypeId = null } = operation;
  const { signatures = [] } = operation;
  const operationId = randomUUID();
  const result = await context.insertOperation({
    operationId,
    operationType,
    communityId,
    actor: toActor(caller),
    requestIdentity: key === null ? requestIdentity : null,
    keyUse: key && { ...key, response: key.toResponse(operationId) },
    nftTypeId,
    signatures,
    request: serializeRequest(operation.request),
  });
  if (result === 'apiKeyInvalid') throw apiKeyNoLongerValid();
  if (result === 'nftTypeDeleted') throw nftTypeNotFound();
  if (result === 'keyUsed') {
    throw new Refusal('IdempotencyKeyInUse', 'Another request has just used this Idempotency-Key.');
  }
  return result;
}

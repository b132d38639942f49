import { randomUUID } from 'node:crypto';
import type { Operation, RequestError } from '@badge/protocol';
import type { Context } from '../context.ts';
import type { BacklogObstacle } from '../storage/backlog-watcher.ts';
import type { OperationKey } from '../storage/idempotency-keys.ts';
import { type NewSignature, serializeRequest } from '../storage/operations.ts';
import { type Caller, rightLost, toActor } from './caller.ts';
import { nftTypeNotFound, Refusal } from './refusal.ts';

/** The details of the 503 for each reason why the backlog does not allow another operation. */
export const BACKLOG_REFUSALS: Record<BacklogObstacle, string> = {
  stalled: 'No operation has been settled for a long time; no more are accepted until one is settled.',
  tooOld:
    "The community's oldest accepted operation has waited too long; no more are accepted until it is settled.",
  tooLarge:
    "The community's accepted operations together are too large; no more are accepted until some are settled.",
};

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
    /** Whether a session acts for its own address, so that it needs no role. */
    isByOwner?: boolean;
    /**
     * The request's idempotency key. If there is one, it alone decides whether the request is a repetition.
     */
    key: OperationKey | null;
    /**
     * 32 bytes. Without a key, a request is a repetition if an earlier operation has the same identity and
     * has not ended in error. For createToken, this operation must also be less than 60 seconds old.
     */
    requestIdentity: Buffer;
    /** The community's own NFT type that the request uses; it must not be deleted. */
    nftTypeId?: string | null;
    /** The signatures to store, unless `request` contains them. */
    signatures?: NewSignature[];
    /** What the client should know about the request. */
    warnings?: RequestError[];
    /** Why the caller requests it. Only the audit log contains it. */
    reason?: string;
    request: object;
  },
): Promise<AcceptedOperation> {
  const { operationType, communityId, caller, key, requestIdentity, nftTypeId = null } = operation;
  const { signatures = [], warnings = [], reason = null, isByOwner = false } = operation;
  const { backlogWatcher, insertOperation } = context;
  const request = serializeRequest(operation.request);
  // Operations without an API key may use only a part of the community's backlog.
  const hasApiKey = caller !== null && caller.kind !== 'emailSession' && !isByOwner;
  const addition = { communityId, requestBytes: Buffer.byteLength(request), hasApiKey };
  const obstacle = backlogWatcher.findObstacle(addition);
  if (obstacle !== null) {
    context.count.backlogRefusal();
    throw new Refusal('Unavailable', BACKLOG_REFUSALS[obstacle]);
  }
  const operationId = randomUUID();
  const result = await backlogWatcher.countInsert(addition, () =>
    insertOperation({
      operationId,
      operationType,
      communityId,
      actor: toActor(caller, { hasSignature: signatures.length > 0, isByOwner }),
      requestIdentity: key === null ? requestIdentity : null,
      keyUse: key && { ...key, response: key.toResponse(operationId) },
      nftTypeId,
      signatures,
      warnings,
      reason,
      request,
    }),
  );
  if (result === 'nftTypeDeleted') throw nftTypeNotFound();
  if (result === 'keyUsed') {
    throw new Refusal('IdempotencyKeyInUse', 'Another request has just used this Idempotency-Key.');
  }
  if (typeof result === 'object') return result;
  // Only a caller with a credential can lose its right.
  throw caller === null ? new Error(`the right of no caller was lost: ${result}`) : rightLost(result, caller);
}

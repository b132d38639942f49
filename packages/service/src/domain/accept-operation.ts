import { randomUUID } from 'node:crypto';
import type { Operation } from '@badge/protocol';
import type { Context } from '../context.ts';
import { serializeRequest } from '../storage/operations.ts';
import { type Caller, toActor } from './caller.ts';
import { apiKeyEnded, nftTypeNotFound, Refusal } from './refusal.ts';

// A backlog of this age that was accepted at three times the settling rate takes 45 more seconds to settle.
const MAX_BACKLOG_AGE_MS = 15_000;

/** Whether the oldest pending operation has waited so long that no more are accepted. */
export function isBacklogTooOld({ backlogWatcher }: Pick<Context, 'backlogWatcher'>): boolean {
  return backlogWatcher.oldestAgeMs() > MAX_BACKLOG_AGE_MS;
}

/** Writes the operation that a worker settles later, and returns its id. */
export async function acceptOperation(
  context: Context,
  operation: {
    operationType: Operation['operationType'];
    communityId: string;
    caller: Caller | null;
    requestIdentity: Buffer;
    /** The community's own NFT type that the request uses; it must not be deleted. */
    nftTypeId?: string | null;
    request: object;
  },
): Promise<string> {
  if (isBacklogTooOld(context)) {
    context.countBacklogRefusal();
    throw new Refusal(
      'Unavailable',
      'The oldest accepted operation has waited too long; no more are accepted until the backlog is settled.',
    );
  }
  const { operationType, communityId, caller, requestIdentity, nftTypeId = null } = operation;
  const result = await context.insertOperation({
    operationId: randomUUID(),
    operationType,
    communityId,
    actor: toActor(caller),
    requestIdentity,
    nftTypeId,
    request: serializeRequest(operation.request),
  });
  if (result === 'apiKeyInvalid') throw apiKeyEnded();
  if (result === 'nftTypeDeleted') throw nftTypeNotFound();
  return result.operationId;
}

import type { Context } from '../context.ts';
import { finishOperations, listIsolatedOperations, takeIsolatedOperation } from '../storage/queue.ts';
import { isKnown, settleOperations } from './settle-operations.ts';
import { createTimeoutCounts, type TimeoutCounts } from './timeout-counts.ts';

const MAX_LISTED = 1_000;
// An operation ends in error after this many timeouts that count (`timeout-counts.ts`).
const MAX_TIMEOUTS = 5;
const NOT_SETTLED = {
  name: 'InternalError',
  detail: 'The operation could not be settled because of an internal error. The request may be sent again.',
};

interface IsolatedOptions {
  isTransient: (error: unknown) => boolean;
  findTimeout: (error: unknown) => 'statement' | 'lock' | undefined;
  /** Whether replacements are settled, or all other isolated operations. */
  areReplacements: boolean;
  /** Returns how many operations the worker has settled, isolated or not. */
  totalSettled: () => number;
  /** Whether another operation may be started. */
  mayContinue: () => boolean;
  onSettled: () => void;
  /** Called after an operation ended in error because it cannot be settled. */
  onFailed: () => void;
}

/** A round attempts each isolated operation once. */
interface Round extends IsolatedOptions {
  context: Context;
  timeoutCounts: TimeoutCounts;
  attempted: Set<string>;
}

/**
 * Returns a function that runs a round, and returns false: there is no more work until operations are
 * isolated. It throws the last timeout, so that the caller waits before it retries the operations that timed
 * out.
 */
export function createIsolatedSettler(context: Context, options: IsolatedOptions): () => Promise<boolean> {
  const timeoutCounts = createTimeoutCounts();
  return () => runRound({ ...options, context, timeoutCounts, attempted: new Set() });
}

// Lists the operations again after each timeout, so that a newly isolated operation waits for at most one
// timeout.
async function runRound(round: Round): Promise<boolean> {
  let lastTimeout: unknown;
  for (;;) {
    const operationIds = await listUnattempted(round);
    if (operationIds.length === 0 || !round.mayContinue()) break;
    const timeout = await settleUntilTimeout(round, operationIds);
    if (timeout !== undefined) lastTimeout = timeout;
  }
  if (lastTimeout !== undefined) throw lastTimeout;
  return false;
}

// Returns the operations that were not attempted. Those with a statement timeout in an earlier round come
// last.
async function listUnattempted({
  context,
  timeoutCounts,
  attempted,
  areReplacements,
}: Round): Promise<string[]> {
  const isolatedIds = await listIsolatedOperations(context.database, MAX_LISTED, { areReplacements });
  const isListComplete = isolatedIds.length < MAX_LISTED;
  if (isListComplete) timeoutCounts.deleteExcept(isolatedIds);
  return isolatedIds
    .filter((operationId) => !attempted.has(operationId))
    .sort((a, b) => Number(timeoutCounts.has(a)) - Number(timeoutCounts.has(b)));
}

// Settles operations one by one until one of them times out. Returns the error of the timeout, or undefined.
async function settleUntilTimeout(round: Round, operationIds: string[]): Promise<unknown> {
  for (const operationId of operationIds) {
    if (!round.mayContinue()) return undefined;
    round.attempted.add(operationId);
    try {
      await settleAlone(round, operationId);
    } catch (error) {
      if (round.findTimeout(error) === undefined) throw error;
      return error;
    }
  }
  return undefined;
}

async function settleAlone(round: Round, operationId: string): Promise<void> {
  const { context, isTransient, onSettled, onFailed } = round;
  let settled = 0;
  try {
    await context.transaction(async (tx) => {
      const operation = await takeIsolatedOperation(tx, operationId);
      if (operation === undefined || !isKnown(operation.operationType)) return;
      settled = await settleOperations(tx, operation.operationType, [operationId]);
    });
  } catch (error) {
    if (isTransient(error) || mayRetry(round, operationId, error)) throw error;
    context.log.error({ err: error, operationId }, 'an operation cannot be settled and ends in error');
    await finishOperations(context.database, [{ operationId, error: NOT_SETTLED }]);
    onFailed();
    return;
  }
  if (settled > 0) onSettled();
}

// Whether an operation is retried after an error. A lock timeout is caused by another transaction, so it does
// not count. A statement timeout can be caused by a slow database, so the operation is retried until
// `MAX_TIMEOUTS` of them have counted.
function mayRetry(
  { findTimeout, timeoutCounts, totalSettled }: Round,
  operationId: string,
  error: unknown,
): boolean {
  const timeout = findTimeout(error);
  if (timeout === undefined) return false;
  return timeout === 'lock' || timeoutCounts.add(operationId, totalSettled()) < MAX_TIMEOUTS;
}

import type { Context } from '../context.ts';
import { isolateOperations, listPendingQueues } from '../storage/queue.ts';
import { createFairBatches, type FairBatches } from './fair-batches.ts';
import { settleOperations } from './settle-operations.ts';

interface BatchOptions {
  isTransient: (error: unknown) => boolean;
  /** Called after the commit, with the number of settled operations. */
  onSettled: (operations: number) => void;
  /** Called after operations were isolated. */
  onIsolated: () => void;
}

/**
 * Returns a function that settles a batch of operations, and returns whether there may be more. If a batch
 * fails with an error that is not transient, its operations are isolated.
 */
export function createBatchSettler(context: Context, options: BatchOptions): () => Promise<boolean> {
  const fairBatches = createFairBatches();
  // How many batches in a row have settled nothing, because tokens are being replaced. After one of each
  // queue, the next batch is taken after a pause.
  let emptyBatches = 0;
  return async () => {
    const { settled, mayHaveMore, queues } = await settleBatch(context, fairBatches, options);
    emptyBatches = settled > 0 || queues === 0 ? 0 : emptyBatches + 1;
    return mayHaveMore && emptyBatches < queues;
  };
}

interface BatchResult {
  settled: number;
  /** Whether there may be more operations. */
  mayHaveMore: boolean;
  /** How many queues have pending operations. */
  queues: number;
}

async function settleBatch(
  context: Context,
  fairBatches: FairBatches,
  { isTransient, onSettled, onIsolated }: BatchOptions,
): Promise<BatchResult> {
  // Most polls find nothing, and then need no transaction.
  const pendingQueues = await listPendingQueues(context.database);
  const queues = pendingQueues.length;
  if (queues === 0) return { settled: 0, mayHaveMore: false, queues };
  const batch: string[] = [];
  let mayHaveMore = false;
  let settled = 0;
  try {
    await context.transaction(async (tx) => {
      const taken = await fairBatches.take(tx, pendingQueues);
      const [first] = taken.operations;
      if (first === undefined) return;
      batch.push(...taken.operations.map(({ operationId }) => operationId));
      ({ mayHaveMore } = taken);
      settled = await settleOperations(tx, first.operationType, batch);
    });
  } catch (error) {
    if (batch.length === 0 || isTransient(error)) throw error;
    context.log.warn(
      { err: error, operations: batch.length },
      'a batch failed; its operations are settled one by one',
    );
    await isolateOperations(context.database, batch);
    onIsolated();
    return { settled: batch.length, mayHaveMore: true, queues };
  }
  onSettled(settled);
  // Operations that were accepted meanwhile have woken the loop.
  return { settled, mayHaveMore, queues };
}

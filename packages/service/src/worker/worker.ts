import type { Operation } from '@badge/protocol';
import type { Context, DatabaseTransaction } from '../context.ts';
import { settleBurns } from '../domain/claims/settle-burns.ts';
import { settleClaims } from '../domain/claims/settle-claims.ts';
import { settleContributors } from '../domain/contributors/settle-contributors.ts';
import { cleanUpNextDeletedNftType } from '../domain/nft-types/clean-up-deleted-nft-types.ts';
import { settleTokens } from '../domain/tokens/settle-tokens.ts';
import {
  finishOperations,
  isolateOperations,
  listIsolatedOperations,
  takeIsolatedOperation,
} from '../storage/queue.ts';
import { analyzeSmallTables } from '../storage/statistics.ts';
import { createFairBatches } from './fair-batches.ts';
import { type Loop, startLoop } from './loop.ts';
import { createTimeoutCounts } from './timeout-counts.ts';

type Settle = (tx: DatabaseTransaction, operationIds: string[]) => Promise<void>;

const SETTLE: Record<Operation['operationType'], Settle> = {
  createToken: settleTokens,
  addContributors: settleContributors,
  claim: settleClaims,
  airdrop: settleClaims,
  communityAdminAirdrop: settleClaims,
  communityAdminAirdropWithoutConsentSig: settleClaims,
  burn: settleBurns,
};

const MAX_LISTED_ISOLATED = 1_000;
const MAX_BATCH_BACKOFF_MS = 2_000;
const MAX_ISOLATED_BACKOFF_MS = 15_000;
const MAX_ANALYZE_BACKOFF_MS = 15_000;
// Deleting an NFT type removes its asset if nothing uses it. If only unfinished operations use the asset, it is checked again
// at this interval.
const ASSET_CHECK_INTERVAL_MS = 60_000;
// PostgreSQL analyzes a table at most once a minute. Meanwhile, a small table can become large, and the plans of prepared
// statements would still read all of it. So small tables are also analyzed after this many operations, and whenever the
// number has doubled.
const FIRST_ANALYZED_OPERATIONS = 2_000;
// An isolated operation ends in error after this many timeouts that count (`timeout-counts.ts`).
const MAX_TIMEOUTS = 5;
const NOT_SETTLED = {
  name: 'InternalError',
  detail: 'The operation could not be settled because of an internal error. The request may be sent again.',
};

export type Worker = Loop;

interface WorkerOptions {
  /** Whether the database caused the error, not an operation. If so, the same operations are retried. */
  isTransient: (error: unknown) => boolean;
  /** Returns `statement` if a statement ran too long, `lock` if it waited too long for a lock. */
  findTimeout: (error: unknown) => 'statement' | 'lock' | undefined;
  /** Called after operations became final, with their number. */
  onSettled: (operations: number) => void;
}

/**
 * Settles accepted operations until it is stopped. It runs four loops:
 * - `batches` settles operations in batches. If a batch fails with an error that is not transient, its operations are
 *   isolated.
 * - `isolated` settles isolated operations one by one, so that a bad operation does not delay others.
 * - `assets` removes unused assets.
 * - `statistics` analyzes small tables whenever the number of settled operations has doubled.
 */
export function startWorker(context: Context, options: WorkerOptions): Worker {
  const { isTransient, findTimeout, onSettled } = options;
  const fairBatches = createFairBatches();
  const timeoutCounts = createTimeoutCounts();
  let totalSettled = 0;
  let totalAtNextAnalysis = FIRST_ANALYZED_OPERATIONS;
  let isStopping = false;

  function countSettled(operations: number): void {
    totalSettled += operations;
    if (operations > 0) onSettled(operations);
  }

  async function settleBatch(): Promise<boolean> {
    const batch: string[] = [];
    let mayHaveMore = false;
    try {
      await context.transaction(async (tx) => {
        const taken = await fairBatches.take(tx);
        const [first] = taken.operations;
        if (first === undefined) return;
        batch.push(...taken.operations.map(({ operationId }) => operationId));
        ({ mayHaveMore } = taken);
        // A transaction calls one settle function only. Each locks its rows in one order, so workers cannot deadlock.
        await SETTLE[first.operationType](tx, batch);
      });
    } catch (error) {
      if (batch.length === 0 || isTransient(error)) throw error;
      context.log.warn(
        { err: error, operations: batch.length },
        'a batch failed; its operations are settled one by one',
      );
      await isolateOperations(context.database, batch);
      isolated.wake();
      return true;
    }
    countSettled(batch.length);
    // Operations that were accepted meanwhile have woken the loop.
    return mayHaveMore;
  }

  // Runs a round, in which each isolated operation is attempted once. Lists the operations again after each timeout, so that a
  // newly isolated operation waits for at most one timeout.
  async function settleIsolated(): Promise<boolean> {
    const attempted = new Set<string>();
    let lastTimeout: unknown;
    for (;;) {
      const operationIds = await listUnattempted(attempted);
      if (operationIds.length === 0 || isStopping) break;
      const timeout = await settleUntilTimeout(operationIds, attempted);
      if (timeout !== undefined) lastTimeout = timeout;
    }
    // The error makes the loop wait before it retries the operations that timed out.
    if (lastTimeout !== undefined) throw lastTimeout;
    return false;
  }

  // Returns the isolated operations that were not attempted. Those with a statement timeout in an earlier round come last.
  async function listUnattempted(attempted: Set<string>): Promise<string[]> {
    const isolatedIds = await listIsolatedOperations(context.database, MAX_LISTED_ISOLATED);
    const isListComplete = isolatedIds.length < MAX_LISTED_ISOLATED;
    if (isListComplete) timeoutCounts.deleteExcept(isolatedIds);
    return isolatedIds
      .filter((operationId) => !attempted.has(operationId))
      .sort((a, b) => Number(timeoutCounts.has(a)) - Number(timeoutCounts.has(b)));
  }

  // Settles operations one by one until one of them times out. Returns the error of the timeout, or undefined.
  async function settleUntilTimeout(operationIds: string[], attempted: Set<string>): Promise<unknown> {
    for (const operationId of operationIds) {
      if (isStopping) return undefined;
      attempted.add(operationId);
      try {
        await settleAlone(operationId);
      } catch (error) {
        if (findTimeout(error) === undefined) throw error;
        return error;
      }
    }
    return undefined;
  }

  async function settleAlone(operationId: string): Promise<void> {
    let isTaken = false;
    try {
      await context.transaction(async (tx) => {
        const operation = await takeIsolatedOperation(tx, operationId);
        if (operation === undefined) return;
        isTaken = true;
        await SETTLE[operation.operationType](tx, [operationId]);
      });
    } catch (error) {
      if (isTransient(error) || mayRetry(operationId, error)) throw error;
      context.log.error({ err: error, operationId }, 'an operation cannot be settled and ends in error');
      await finishOperations(context.database, [{ operationId, error: NOT_SETTLED }]);
      // `countSettled` would also raise `totalSettled`. A higher `totalSettled` tells `timeoutCounts` that the database is fast
      // enough to settle operations, but this operation was not settled.
      onSettled(1);
      // The operation may have been the last use of an asset.
      assets.wake();
      return;
    }
    if (isTaken) countSettled(1);
  }

  // Whether an operation is retried after an error. A lock timeout is caused by another transaction, so it does not count. A
  // statement timeout can be caused by a slow database, so the operation is retried until `MAX_TIMEOUTS` of them have counted.
  function mayRetry(operationId: string, error: unknown): boolean {
    const timeout = findTimeout(error);
    if (timeout === undefined) return false;
    return timeout === 'lock' || timeoutCounts.add(operationId, totalSettled) < MAX_TIMEOUTS;
  }

  async function deleteUnusedAssets(): Promise<boolean> {
    let sequence: number | null = 0;
    while (sequence !== null && !isStopping) sequence = await cleanUpNextDeletedNftType(context, sequence);
    return false;
  }

  async function analyzeTablesWhenDue(): Promise<boolean> {
    if (totalSettled < totalAtNextAnalysis) return false;
    await analyzeSmallTables(context.database);
    totalAtNextAnalysis = 2 * totalSettled;
    return false;
  }

  const onError = (error: unknown) => context.log.warn({ err: error }, 'settling failed and is retried');
  const batches = startLoop({ work: settleBatch, onError, maxBackoffMs: MAX_BATCH_BACKOFF_MS });
  const isolated = startLoop({ work: settleIsolated, onError, maxBackoffMs: MAX_ISOLATED_BACKOFF_MS });
  const assets = startLoop({
    work: deleteUnusedAssets,
    onError: (error) => context.log.warn({ err: error }, 'removing unused assets failed and is retried'),
    maxBackoffMs: ASSET_CHECK_INTERVAL_MS,
    pollMs: ASSET_CHECK_INTERVAL_MS,
  });
  const statistics = startLoop({
    work: analyzeTablesWhenDue,
    onError: (error) => context.log.warn({ err: error }, 'analyzing tables failed and is retried'),
    maxBackoffMs: MAX_ANALYZE_BACKOFF_MS,
  });
  return {
    wake: () => batches.wake(),
    stop: async () => {
      isStopping = true;
      await Promise.all([batches.stop(), isolated.stop(), assets.stop(), statistics.stop()]);
    },
  };
}

import type { Context } from '../context.ts';
import { createExpiryAnnouncer } from '../domain/claims/announce-expired.ts';
import { createEventPlacer } from '../domain/events/place-events.ts';
import { analyzeSmallTables } from '../storage/statistics.ts';
import { startCleanUp } from './clean-up.ts';
import { type Loop, startLoop } from './loop.ts';
import { createBatchSettler } from './settle-batch.ts';
import { createIsolatedSettler } from './settle-isolated.ts';

const MAX_BATCH_BACKOFF_MS = 2_000;
const MAX_ISOLATED_BACKOFF_MS = 15_000;
const MAX_ANALYZE_BACKOFF_MS = 15_000;
const MAX_EVENTS_BACKOFF_MS = 2_000;
// The pause between two pieces.
const EXPIRY_POLL_MS = 350;
// PostgreSQL analyzes a table at most once a minute. Meanwhile, a small table can become large, and the plans
// of prepared statements would still read all of it. So small tables are also analyzed after this many
// operations, and whenever the number has doubled.
const FIRST_ANALYZED_OPERATIONS = 2_000;

export interface Worker extends Loop {
  /** Ends the pause of the loop that places events, because operations were settled. */
  wakeEvents(): void;
}

interface WorkerOptions {
  /** Whether the database caused the error, not an operation. If so, the same operations are retried. */
  isTransient: (error: unknown) => boolean;
  /** Returns `statement` if a statement ran too long, `lock` if it waited too long for a lock. */
  findTimeout: (error: unknown) => 'statement' | 'lock' | undefined;
  /** Called after operations became final, with their number. */
  onSettled: (operations: number) => void;
  /** Called after events got their places in the feed. */
  onEventsPlaced: () => void;
  /** Called after deliveries of events to webhooks were added. */
  onDeliveriesQueued: () => void;
}

/**
 * Settles accepted operations until it is stopped. It runs these loops:
 * - `batches` settles operations in batches, and isolates those of a batch that fails.
 * - `isolated` settles isolated operations one by one, so that a bad operation does not delay others.
 * - `replacements` settles replacements of tokens one by one, because one can take seconds.
 * - `events` places events in the feed.
 * - `expiries` writes the events of badges that have ended, in pieces.
 * - `cleanUp` removes what has expired or is used no more.
 * - `statistics` analyzes small tables whenever the number of settled operations has doubled.
 */
export function startWorker(context: Context, options: WorkerOptions): Worker {
  const { isTransient, findTimeout } = options;
  let totalSettled = 0;
  let isStopping = false;
  const countSettled = (operations: number) => {
    totalSettled += operations;
    if (operations > 0) options.onSettled(operations);
  };
  const mayContinue = () => !isStopping;
  const settleBatch = createBatchSettler(context, {
    isTransient,
    onSettled: countSettled,
    onIsolated: () => isolated.wake(),
  });
  const isolatedOptions = {
    isTransient,
    findTimeout,
    totalSettled: () => totalSettled,
    mayContinue,
    onFailed: () => {
      // Is final, but does not raise `totalSettled`, which shows that the database is fast enough to settle
      // operations.
      options.onSettled(1);
      // The operation may have been the last use of an asset.
      cleanUp.assetMayBeUnused();
    },
  };
  const settleIsolated = createIsolatedSettler(context, {
    ...isolatedOptions,
    areReplacements: false,
    onSettled: () => countSettled(1),
  });
  const settleReplacements = createIsolatedSettler(context, {
    ...isolatedOptions,
    areReplacements: true,
    onSettled: () => {
      countSettled(1);
      // Operations on the token have waited.
      batches.wake();
    },
  });
  const onError = warn(context, 'settling failed and is retried');
  const batches = startLoop({ work: settleBatch, onError, maxBackoffMs: MAX_BATCH_BACKOFF_MS });
  const isolated = startLoop({
    work: settleIsolated,
    onError,
    maxBackoffMs: MAX_ISOLATED_BACKOFF_MS,
    firstPauseMs: 100,
  });
  const replacements = startLoop({
    work: settleReplacements,
    onError,
    maxBackoffMs: MAX_ISOLATED_BACKOFF_MS,
    firstPauseMs: 150,
  });
  const events = startLoop({
    work: createEventPlacer(context, {
      onPlaced: options.onEventsPlaced,
      onQueued: options.onDeliveriesQueued,
    }),
    onError: warn(context, 'placing events failed and is retried'),
    maxBackoffMs: MAX_EVENTS_BACKOFF_MS,
    firstPauseMs: 200,
  });
  const expiries = startLoop({
    work: createExpiryAnnouncer(context, () => events.wake()),
    onError: warn(context, 'announcing expiries failed and is retried'),
    maxBackoffMs: MAX_EVENTS_BACKOFF_MS,
    pollMs: EXPIRY_POLL_MS,
    firstPauseMs: 250,
  });
  const cleanUp = startCleanUp(context);
  const statistics = startAnalyzingTables(context, () => totalSettled);
  return {
    wake: () => {
      batches.wake();
      replacements.wake();
    },
    wakeEvents: () => events.wake(),
    stop: async () => {
      isStopping = true;
      await Promise.all(
        [batches, isolated, replacements, events, expiries, cleanUp, statistics].map((loop) => loop.stop()),
      );
    },
  };
}

function startAnalyzingTables(context: Context, totalSettled: () => number): Loop {
  let totalAtNextAnalysis = FIRST_ANALYZED_OPERATIONS;
  async function analyzeTablesWhenDue(): Promise<boolean> {
    if (totalSettled() < totalAtNextAnalysis) return false;
    await analyzeSmallTables(context.database);
    totalAtNextAnalysis = 2 * totalSettled();
    return false;
  }
  return startLoop({
    work: analyzeTablesWhenDue,
    onError: warn(context, 'analyzing tables failed and is retried'),
    maxBackoffMs: MAX_ANALYZE_BACKOFF_MS,
  });
}

function warn(context: Context, message: string): (error: unknown) => void {
  return (error) => context.log.warn({ err: error }, message);
}

import type { Operation } from '@badge/protocol';
import type { Context, DatabaseTransaction } from '../context.ts';
import { addContributors } from '../domain/claims/add-contributors.ts';
import { settleBurns } from '../domain/claims/settle-burns.ts';
import { settleClaims } from '../domain/claims/settle-claims.ts';
import { failOperation } from '../domain/operations/fail-operation.ts';
import { listSetAsideOperations } from '../domain/operations/list-set-aside-operations.ts';
import { setAsideOperations } from '../domain/operations/set-aside-operations.ts';
import { takeOperations } from '../domain/operations/take-operations.ts';
import { takeSetAsideOperation } from '../domain/operations/take-set-aside-operation.ts';
import { createTokens } from '../domain/tokens/create-tokens.ts';
import { type Loop, startLoop } from './loop.ts';

// The verb that settles each type of operation.
const VERBS: Record<
  Operation['operationType'],
  (tx: DatabaseTransaction, operationIds: string[]) => Promise<void>
> = {
  createToken: createTokens,
  addContributors,
  claim: settleClaims,
  airdrop: settleClaims,
  communityAdminAirdrop: settleClaims,
  communityAdminAirdropWithoutConsentSig: settleClaims,
  burn: settleBurns,
};

const LONGEST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_BETWEEN_TIMEOUTS_MS = 15_000;
// How often an operation alone may take too long, while others settle, before it ends in error.
const MOST_TIMEOUTS = 5;

export type Worker = Loop;

interface WorkerOptions {
  /** Whether a failure is the database's alone, so that the same operations are simply tried again. */
  isPassing: (error: unknown) => boolean;
  /** Whether a statement took too long: `statement` by itself, `lock` by waiting for others. */
  findTimeout: (error: unknown) => 'statement' | 'lock' | undefined;
  onSettled: (operations: number) => void;
}

/**
 * Settles accepted operations until it is stopped: set by set, and beside that, one by one, those whose set
 * could not be settled, so that one bad operation holds up no others.
 */
export function startWorker(context: Context, options: WorkerOptions): Worker {
  const { isPassing, findTimeout, onSettled } = options;
  const timeouts = new Map<string, { counted: number; settledBefore: number }>();
  let settledSoFar = 0;
  let isStopping = false;

  function noteSettled(operations: number): void {
    settledSoFar += operations;
    if (operations > 0) onSettled(operations);
  }

  async function settleSet(): Promise<boolean> {
    const taken: string[] = [];
    try {
      await context.transaction(async (tx) => {
        const operations = await takeOperations(tx);
        const [oldest] = operations;
        if (oldest === undefined) return;
        // One verb a transaction: each takes its locks in one order, so that two workers cannot deadlock.
        const verb = VERBS[oldest.operationType];
        for (const operation of operations) {
          if (VERBS[operation.operationType] === verb) taken.push(operation.operationId);
        }
        await verb(tx, taken);
      });
    } catch (error) {
      if (taken.length === 0 || isPassing(error)) throw error;
      context.log.warn(
        { err: error, operations: taken.length },
        'a set cannot be settled; trying one by one',
      );
      await setAsideOperations(context, taken);
      singles.wake();
      return true;
    }
    noteSettled(taken.length);
    return taken.length > 0;
  }

  async function settleSingles(): Promise<boolean> {
    let timeout: unknown;
    for (const operationId of await listSetAsideOperations(context)) {
      if (isStopping) break;
      await settleSingle(operationId).catch((error: unknown) => {
        if (findTimeout(error) === undefined) throw error;
        timeout = error;
      });
    }
    if (timeout !== undefined) throw timeout;
    return false;
  }

  async function settleSingle(operationId: string): Promise<void> {
    let isTaken = false;
    try {
      await context.transaction(async (tx) => {
        const operation = await takeSetAsideOperation(tx, operationId);
        if (operation === undefined) return;
        isTaken = true;
        await VERBS[operation.operationType](tx, [operationId]);
      });
    } catch (error) {
      if (isPassing(error) || mayTryAgain(operationId, error)) throw error;
      context.log.error({ err: error, operationId }, 'an operation cannot be settled and ends in error');
      await failOperation(context, operationId);
      timeouts.delete(operationId);
      return;
    }
    timeouts.delete(operationId);
    if (isTaken) noteSettled(1);
  }

  // A slow database lets nothing settle, and whoever holds a lock lets it go: a timeout counts against an operation
  // only if its own statement took too long, and others have settled since the one before.
  function mayTryAgain(operationId: string, error: unknown): boolean {
    const timeout = findTimeout(error);
    if (timeout !== 'statement') return timeout === 'lock';
    const { counted, settledBefore } = timeouts.get(operationId) ?? { counted: 0, settledBefore: -1 };
    if (settledSoFar === settledBefore) return true;
    timeouts.set(operationId, { counted: counted + 1, settledBefore: settledSoFar });
    return counted + 1 < MOST_TIMEOUTS;
  }

  const onFailure = (error: unknown) => context.log.warn({ err: error }, 'operations cannot be settled now');
  const sets = startLoop({ work: settleSet, onFailure, longestPauseMs: LONGEST_PAUSE_MS });
  const singles = startLoop({
    work: settleSingles,
    onFailure,
    longestPauseMs: LONGEST_PAUSE_BETWEEN_TIMEOUTS_MS,
  });
  return {
    wake: () => sets.wake(),
    stop: async () => {
      isStopping = true;
      await Promise.all([sets.stop(), singles.stop()]);
    },
  };
}

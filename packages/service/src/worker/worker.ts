import type { Operation } from '@badge/protocol';
import type { Context, DatabaseTransaction } from '../context.ts';
import { addContributors } from '../domain/claims/add-contributors.ts';
import { settleBurns } from '../domain/claims/settle-burns.ts';
import { settleClaims } from '../domain/claims/settle-claims.ts';
import { failOperation } from '../domain/operations/fail-operation.ts';
import { takeOperations } from '../domain/operations/take-operations.ts';
import { createTokens } from '../domain/tokens/create-tokens.ts';

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

// Signals can be lost with their connection; this bounds what that costs.
const SAFETY_POLL_MS = 1_000;
const LONGEST_PAUSE_MS = 2_000;

export interface Worker {
  /** Says that there may be work. */
  wake(): void;
  /** Resolves once the set in hand is settled. */
  stop(): Promise<void>;
}

interface WorkerOptions {
  /** Whether a failure passes by itself, so that the same set is simply tried again. */
  isPassing: (error: unknown) => boolean;
  onSettled: (operations: number) => void;
}

/** Settles accepted operations, set by set, until it is stopped. */
export function startWorker(context: Context, { isPassing, onSettled }: WorkerOptions): Worker {
  let isStopping = false;
  let isWorkWaiting = true;
  let endPause: () => void = () => undefined;

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(end, ms);
      function end(): void {
        clearTimeout(timer);
        resolve();
      }
      endPause = end;
    });
  }

  async function settle(operationId?: string): Promise<string[]> {
    const taken: string[] = [];
    try {
      await context.transaction(async (tx) => {
        const operations = await takeOperations(tx, operationId);
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
      if (isPassing(error)) throw error;
      await settleOneByOne(taken, operationId, error);
    }
    return taken;
  }

  // One bad operation must not hold up the set that it was taken with, nor be tried for ever.
  async function settleOneByOne(
    taken: string[],
    operationId: string | undefined,
    error: unknown,
  ): Promise<void> {
    if (operationId !== undefined) {
      context.log.error({ err: error, operationId }, 'an operation cannot be settled and ends in error');
      await failOperation(context, operationId);
      return;
    }
    if (taken.length === 0) throw error;
    context.log.warn({ err: error, operations: taken.length }, 'a set cannot be settled; trying one by one');
    for (const single of taken) await settle(single);
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!isStopping) {
      isWorkWaiting = false;
      try {
        const settled = await settle();
        if (settled.length > 0) onSettled(settled.length);
        isWorkWaiting ||= settled.length > 0;
        failures = 0;
      } catch (error) {
        context.log.warn({ err: error }, 'operations cannot be settled now');
        isWorkWaiting = false;
        failures += 1;
      }
      const pauseMs = failures === 0 ? SAFETY_POLL_MS : Math.min(50 * 2 ** failures, LONGEST_PAUSE_MS);
      if (!isWorkWaiting && !isStopping) await pause(pauseMs);
    }
  }

  const running = run();
  return {
    wake: () => {
      isWorkWaiting = true;
      endPause();
    },
    stop: async () => {
      isStopping = true;
      endPause();
      await running;
    },
  };
}

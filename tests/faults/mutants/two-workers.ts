import type { Changes } from './rewrite.ts';

const BATCHES =
  'const batches = startLoop({ work: settleBatch, onError, maxBackoffMs: MAX_BATCH_BACKOFF_MS });';

/**
 * Runs two workers in each process that has one, so that they compete even if the other processes are dead.
 */
export const TWO_WORKERS: Changes = {
  'worker/worker.ts': [
    [BATCHES, `${BATCHES}\n  ${BATCHES.replace('batches', 'otherBatches')}`],
    [
      'wake: () => {\n      batches.wake();',
      'wake: () => {\n      batches.wake();\n      otherBatches.wake();',
    ],
    ['[batches, isolated, ', '[otherBatches, batches, isolated, '],
  ],
};

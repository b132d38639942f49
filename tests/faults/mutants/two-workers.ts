import type { Changes } from './rewrite.ts';

const BATCHES =
  'const batches = startLoop({ work: settleBatch, onError, maxBackoffMs: MAX_BATCH_BACKOFF_MS });';

/**
 * Runs two workers in each process that has one, so that they compete even if the other processes are dead.
 */
export const TWO_WORKERS: Changes = {
  'worker/worker.ts': [
    [BATCHES, `${BATCHES}\n  ${BATCHES.replace('batches', 'otherBatches')}`],
    ['wake: () => batches.wake(),', 'wake: () => { batches.wake(); otherBatches.wake(); },'],
    ['[batches.stop(), ', '[otherBatches.stop(), batches.stop(), '],
  ],
};

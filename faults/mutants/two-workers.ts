import type { Changes } from './rewrite.ts';

const SETS = 'const sets = startLoop({ work: settleSet, onFailure, longestPauseMs: LONGEST_PAUSE_MS });';

/** Two workers in every process, woken together, so that they meet however many processes are dead. */
export const TWO_WORKERS: Changes = {
  'worker/worker.ts': [
    [SETS, `${SETS}\n  ${SETS.replace('sets', 'otherSets')}`],
    ['wake: () => sets.wake(),', 'wake: () => { sets.wake(); otherSets.wake(); },'],
    ['Promise.all([sets.stop(),', 'Promise.all([otherSets.stop(), sets.stop(),'],
  ],
};

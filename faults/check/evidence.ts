import type { Answered } from './answered.ts';
import { checkAllowlists, checkCounts, checkExpirations, checkOwners } from './check-claims.ts';
import {
  checkAnswers,
  checkAudited,
  checkEffects,
  checkFinal,
  checkOnce,
  checkReadable,
} from './check-operations.ts';
import { checkObservations, checkTokens } from './check-tokens.ts';
import type { History } from './history.ts';
import type { Stored } from './stored.ts';
import { createTally, type Tally } from './tally.ts';

/** All that a run leaves to judge by. */
export interface Evidence {
  history: History;
  stored: Stored;
  answered: Answered;
  /** Operations that were not final when the time for it was over. */
  openOperations: number;
  ownEnds: string[];
}

/** Compares journal, database and API against every invariant. */
export function judge(evidence: Evidence): Tally {
  const tally = createTally();
  for (const check of [
    checkReadable,
    checkOnce,
    checkCounts,
    checkAllowlists,
    checkExpirations,
    checkOwners,
    checkFinal,
    checkEffects,
    checkTokens,
    checkObservations,
    checkAnswers,
    checkAudited,
  ]) {
    check(evidence, tally);
  }
  return tally;
}

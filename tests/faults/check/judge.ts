import { INVARIANT_NAMES, type Invariant } from '../invariants.ts';
import { checkAllowlists, checkCounts, checkOwners } from './check-claims.ts';
import { checkEffects } from './check-effects.ts';
import { checkIsolation } from './check-isolation.ts';
import { checkFinal, checkOnce, checkReadable, checkRecorded, checkResponses } from './check-operations.ts';
import { checkAssets, checkIds } from './check-tokens.ts';
import type { Evidence } from './evidence.ts';
import { createTally, type InvariantTally, type Tally } from './tally.ts';

type Check = (evidence: Evidence, tally: InvariantTally) => void;

const CHECKS: Record<Invariant, Check> = {
  I1: checkReadable,
  I2: checkOnce,
  I3: checkCounts,
  I4: checkAllowlists,
  I5: checkOwners,
  I6: checkFinal,
  I7: checkEffects,
  I8: checkAssets,
  I9: checkRecorded,
  I10: checkResponses,
  // Checked by the faults that send SIGTERM (nemesis/processes.ts), which journal the result.
  I11: () => undefined,
  I12: checkIds,
  I13: checkIsolation,
  // Checked by the load (load/change-readers.ts) and a fault (nemesis/held-changes.ts), which journal the
  // result.
  I14: () => undefined,
  // Checked by the load (load/replacers.ts), which journals the result.
  I15: () => undefined,
  // Checked by the load (load/expirers.ts), which journals the result.
  I16: () => undefined,
  // Checked by the load (load/reminders.ts), which journals the result.
  I17: () => undefined,
};

/** Checks every invariant against the journal, the database and the API. */
export function judge(evidence: Evidence): Tally {
  const tally = createTally();
  for (const invariant of INVARIANT_NAMES) CHECKS[invariant](evidence, tally.of(invariant));
  for (const seen of evidence.history.observations) {
    if (seen.type === 'violation') tally.of(seen.invariant).expect(false, () => seen.detail);
    else if (seen.type === 'checked') tally.of(seen.invariant).add(seen.count);
  }
  return tally;
}

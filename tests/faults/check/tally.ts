import { INVARIANT_NAMES, type Invariant } from '../invariants.ts';

const MAX_DETAILS = 5;

export interface Result {
  checked: number;
  violations: number;
  /** The first violations. */
  details: string[];
}

/** Counts the checks of one invariant. */
export interface InvariantTally {
  /** Counts one check, and also a violation if `holds` is false. */
  expect(holds: boolean, describe: () => string): void;
  /** Counts checks that were made during the run. `expect` counts the violations that they found. */
  add(checked: number): void;
}

/** Counts checks and violations of every invariant. */
export interface Tally {
  of(invariant: Invariant): InvariantTally;
  readonly results: Record<Invariant, Result>;
  violations(): number;
}

export function createTally(): Tally {
  const results = Object.fromEntries(
    INVARIANT_NAMES.map((name): [Invariant, Result] => [name, { checked: 0, violations: 0, details: [] }]),
  ) as Tally['results'];
  return {
    results,
    of(invariant) {
      const result = results[invariant];
      return {
        expect(holds, describe) {
          result.checked += 1;
          if (holds) return;
          result.violations += 1;
          if (result.details.length < MAX_DETAILS) result.details.push(describe());
        },
        add(checked) {
          result.checked += checked;
        },
      };
    },
    violations: () => Object.values(results).reduce((sum, { violations }) => sum + violations, 0),
  };
}

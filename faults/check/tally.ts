/** The invariants that a run is checked against, and what each promises. */
export const INVARIANTS = {
  I1: 'every 202 is readable ever after',
  I2: 'one token per operation, one operation per signed request',
  I3: 'claims + remaining = total, in every snapshot',
  I4: 'only the allowlisted get an allowlisted token',
  I5: 'one token per address',
  I6: 'every operation is final within 60 s, every unknown resolved',
  I7: 'status, token and times agree, in every snapshot',
  I8: 'no dangling NFT type or asset, no torn picture',
  I9: 'every operation has one audit entry, and every entry its operation',
  I10: 'no 5xx but 503, no unexpected refusal, no process that ends by itself',
  I11: 'SIGTERM loses nothing; a rolling restart costs no request more than a retry',
  I12: 'token ids stay dense',
} as const;

export type Invariant = keyof typeof INVARIANTS;

const DETAILS_KEPT = 5;

/** Counts what was checked, and keeps the first violations of each invariant. */
export interface Tally {
  check(invariant: Invariant, isHeld: boolean, detail: () => string): void;
  /** Counts checks that were made elsewhere. */
  add(invariant: Invariant, checked: number): void;
  readonly results: Record<Invariant, { checked: number; violations: number; details: string[] }>;
  violations(): number;
}

export function createTally(): Tally {
  const results = Object.fromEntries(
    Object.keys(INVARIANTS).map((name) => [name, { checked: 0, violations: 0, details: [] as string[] }]),
  ) as Tally['results'];
  return {
    results,
    check(invariant, isHeld, detail) {
      const result = results[invariant];
      result.checked += 1;
      if (isHeld) return;
      result.violations += 1;
      if (result.details.length < DETAILS_KEPT) result.details.push(detail());
    },
    add(invariant, checked) {
      results[invariant].checked += checked;
    },
    violations: () => Object.values(results).reduce((sum, { violations }) => sum + violations, 0),
  };
}

import type { DataSize } from './data.ts';
import type { Extent } from './figure.ts';

/** The stored data of a normal run, and of the small service of `--scale`. */
export const DATA_SIZE: DataSize = { tokens: 10_000, claims: 20_000, hidden: 1_000 };
/** The stored data of the large service of `--scale`. */
export const LARGE_DATA_SIZE: DataSize = { tokens: 1_000_000, claims: 2_000_000, hidden: 100_000 };

export const FULL: Extent = {
  rounds: 5,
  windowMs: 3_000,
  memoryMs: { first: 60_000, total: 180_000 },
  overloadMs: 20_000,
  invitations: 3_000,
  expiringOwners: 1_000_000,
  recoveryMs: 5_000,
};

/** Measures everything briefly. The figures are too noisy to be compared with goals. */
export const QUICK: Extent = {
  rounds: 1,
  windowMs: 300,
  memoryMs: { first: 500, total: 1_500 },
  overloadMs: 1_000,
  invitations: 40,
  expiringOwners: 3_000,
  recoveryMs: 500,
};

import { ANSWER_BEFORE_COMMIT } from './answer-before-commit.ts';
import { ASYNCHRONOUS_COMMIT } from './asynchronous-commit.ts';
import { CHECK_THEN_INSERT } from './check-then-insert.ts';
import { IDS_FROM_A_SEQUENCE } from './ids-from-a-sequence.ts';
import type { Mutant } from './mutant.ts';
import { NO_LOCK_ON_TAKEN_WORK } from './no-lock-on-taken-work.ts';
import { NO_RULE_OF_ONE_CLAIM } from './no-rule-of-one-claim.ts';
import { TWO_TRANSACTIONS } from './two-transactions.ts';
import { UNGUARDED_COUNT } from './unguarded-count.ts';

/** Every mutant. `npm run test:faults -- --list` prints this table. */
export const MUTANTS: readonly Mutant[] = [
  ANSWER_BEFORE_COMMIT,
  ASYNCHRONOUS_COMMIT,
  CHECK_THEN_INSERT,
  NO_LOCK_ON_TAKEN_WORK,
  UNGUARDED_COUNT,
  NO_RULE_OF_ONE_CLAIM,
  TWO_TRANSACTIONS,
  IDS_FROM_A_SEQUENCE,
];

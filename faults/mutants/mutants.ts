import { fileURLToPath } from 'node:url';
import type { Invariant } from '../check/tally.ts';
import { ANSWER_BEFORE_COMMIT } from './answer-before-commit.ts';
import { ASYNCHRONOUS_COMMIT } from './asynchronous-commit.ts';
import { CHECK_THEN_INSERT } from './check-then-insert.ts';
import { IDS_FROM_A_SEQUENCE } from './ids-from-a-sequence.ts';
import { NO_LOCK_ON_TAKEN_WORK } from './no-lock-on-taken-work.ts';
import { NO_RULE_OF_ONE_CLAIM } from './no-rule-of-one-claim.ts';
import type { Changes } from './rewrite.ts';
import { TWO_TRANSACTIONS } from './two-transactions.ts';
import { UNGUARDED_COUNT } from './unguarded-count.ts';

export interface Mutant {
  name: string;
  changes: Changes;
  /** What a process of the service loads first to become the mutant. */
  module: string;
  /** What such a process prints once its changes are in place. */
  mark: string;
  /** The invariant that it must be seen to break. */
  breaks: Invariant;
  /** Takes away what in the database would hide it. */
  prepareSql: string | null;
}

/** Services with one fault each, which the checks must find. */
export const MUTANTS: Mutant[] = [
  mutant('answer before commit', ANSWER_BEFORE_COMMIT, { breaks: 'I1' }),
  mutant('synchronous_commit=off', ASYNCHRONOUS_COMMIT, {
    breaks: 'I1',
    // By itself, PostgreSQL writes within 0.2 s what nobody waits for. ALTER SYSTEM could not go with the rest.
    prepareSql: `checkpoint;
      copy (select 'wal_writer_delay = 10s') to program 'cat >> postgresql.auto.conf';
      select pg_reload_conf()`,
  }),
  mutant('check-then-insert', CHECK_THEN_INSERT, {
    breaks: 'I2',
    prepareSql: dropConstraint('operations', 'UNIQUE (request_identity)'),
  }),
  mutant('no lock on taken work', NO_LOCK_ON_TAKEN_WORK, {
    breaks: 'I2',
    prepareSql: dropConstraint('tokens', 'UNIQUE (operation_id)'),
  }),
  mutant('unguarded count', UNGUARDED_COUNT, {
    breaks: 'I3',
    prepareSql: dropConstraint('tokens', 'CHECK %remaining_claim_count%total_claim_count%'),
  }),
  mutant('no rule of one claim', NO_RULE_OF_ONE_CLAIM, {
    breaks: 'I5',
    prepareSql: `${dropConstraint('claims', 'PRIMARY KEY (token_id, address)')};
      drop index claims_by_contributor`,
  }),
  mutant('two transactions', TWO_TRANSACTIONS, { breaks: 'I7' }),
  mutant('ids from a sequence', IDS_FROM_A_SEQUENCE, {
    breaks: 'I12',
    prepareSql: 'create sequence token_ids cache 10',
  }),
];

function mutant(
  name: string,
  changes: Changes,
  { breaks, prepareSql = null }: { breaks: Invariant; prepareSql?: string | null },
): Mutant {
  const path = fileURLToPath(new URL('become-mutant.ts', import.meta.url));
  return {
    name,
    changes,
    module: `${path}?${encodeURIComponent(name)}`,
    mark: `the mutation "${name}" is in place`,
    breaks,
    prepareSql,
  };
}

// Fails if there is none, so that no mutant outlives what hides it.
function dropConstraint(table: string, definition: string): string {
  return `do $$ declare name text; begin
    for name in select conname from pg_constraint
      where conrelid = '${table}'::regclass and pg_get_constraintdef(oid) like '${definition}'
    loop execute format('alter table ${table} drop constraint %I', name); end loop;
    if name is null then raise 'no constraint of ${table} is %', '${definition}'; end if;
  end $$`;
}

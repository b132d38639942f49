import { fileURLToPath } from 'node:url';
import type { Invariant } from '../check/tally.ts';
import { markOf } from './rewrite.ts';

export interface Mutant {
  name: string;
  /** What a process of the service loads first to become the mutant. */
  module: string;
  mark: string;
  /** The invariant that it must be seen to break. */
  breaks: Invariant;
  /** Takes away what in the database would hide it. */
  prepareSql: string | null;
}

/** Services with one fault each, which the checks must find. */
export const MUTANTS: Mutant[] = [
  mutant('answer before commit', 'answer-before-commit.ts', { breaks: 'I1' }),
  mutant('synchronous_commit=off', 'asynchronous-commit.ts', { breaks: 'I1' }),
  mutant('check-then-insert', 'check-then-insert.ts', {
    breaks: 'I2',
    prepareSql: dropConstraints('operations', 'UNIQUE (request_identity)'),
  }),
  mutant('no lock on taken work', 'no-lock-on-taken-work.ts', {
    breaks: 'I2',
    prepareSql: dropConstraints('tokens', 'UNIQUE (operation_id)'),
  }),
  mutant('unguarded count', 'unguarded-count.ts', {
    breaks: 'I3',
    prepareSql: dropConstraints('tokens', 'CHECK %remaining_claim_count%total_claim_count%'),
  }),
  mutant('no rule of one claim', 'no-rule-of-one-claim.ts', {
    breaks: 'I5',
    prepareSql: `${dropConstraints('claims', 'PRIMARY KEY (token_id, address)')};
      drop index claims_by_contributor`,
  }),
  mutant('two transactions', 'two-transactions.ts', { breaks: 'I7' }),
  mutant('ids from a sequence', 'ids-from-a-sequence.ts', {
    breaks: 'I12',
    prepareSql: 'create sequence token_ids',
  }),
];

function mutant(name: string, file: string, rest: { breaks: Invariant; prepareSql?: string }): Mutant {
  const module = fileURLToPath(new URL(file, import.meta.url));
  return { name, module, mark: markOf(name), prepareSql: null, ...rest };
}

// Fails if there is none, so that a mutant does not outlive what hides it.
function dropConstraints(table: string, definition: string): string {
  return `do $$ declare name text; begin
    for name in select conname from pg_constraint
      where conrelid = '${table}'::regclass and pg_get_constraintdef(oid) like '${definition}'
    loop execute format('alter table ${table} drop constraint %I', name); end loop;
    if name is null then raise 'no constraint ${table} %', '${definition}'; end if;
  end $$`;
}

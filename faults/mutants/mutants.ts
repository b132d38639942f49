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
  mutant('two transactions', 'two-transactions.ts', { breaks: 'I7' }),
  mutant('unguarded count', 'unguarded-count.ts', {
    breaks: 'I3',
    prepareSql: `do $$ declare name text; begin
      for name in select conname from pg_constraint
        where conrelid = 'tokens'::regclass and contype = 'c'
          and pg_get_constraintdef(oid) like '%remaining_claim_count%total_claim_count%'
      loop execute format('alter table tokens drop constraint %I', name); end loop;
    end $$`,
  }),
];

function mutant(name: string, file: string, rest: { breaks: Invariant; prepareSql?: string }): Mutant {
  const module = fileURLToPath(new URL(file, import.meta.url));
  return { name, module, mark: markOf(name), prepareSql: null, ...rest };
}

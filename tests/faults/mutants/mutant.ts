import { fileURLToPath } from 'node:url';
import type { Invariant } from '../invariants.ts';
import type { Changes } from './rewrite.ts';

/** The service with one defect, which the checks must find. */
export interface Mutant {
  name: string;
  /** What is wrong with it. */
  defect: string;
  /** The invariant that must be violated. */
  breaks: Invariant;
  changes: Changes;
  /** Prepares the database for the defect. For example, drops a constraint that would hide it. */
  prepareSql?: string;
  /**
   * Injects only faults whose names contain this text. Default: kills. If these faults are attacks, the
   * scenario is `attacks`.
   */
  faultFilter?: string;
  /** How many times as long as other mutants it runs, because its violations are rare. Default: 1. */
  durationFactor?: number;
}

/**
 * How a service process becomes a mutant: the module that it loads before the service, and the line that it
 * then logs.
 */
export function preloadOf({ name }: Mutant): { module: string; logLine: string } {
  const path = fileURLToPath(new URL('become-mutant.ts', import.meta.url));
  return { module: `${path}?${encodeURIComponent(name)}`, logLine: mutationLogLine(name) };
}

/** What a process logs when all of a mutant's changes are in place. */
export function mutationLogLine(name: string): string {
  return `the mutation "${name}" is in place`;
}

/** SQL that drops the constraints whose definition matches the pattern. It fails if there are none. */
export function dropConstraint(table: string, pattern: string): string {
  return `do $$ declare name text; begin
    for name in select conname from pg_constraint
      where conrelid = '${table}'::regclass and pg_get_constraintdef(oid) like '${pattern}'
    loop execute format('alter table ${table} drop constraint %I', name); end loop;
    if name is null then raise '${table} has no constraint like %', '${pattern}'; end if;
  end $$`;
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Caller } from './callers.ts';

/** What one caller does to make the service slow or unavailable for others. */
export interface Attack {
  name: string;
  /** What the attack does, for `--list`. */
  effect: string;
  /** What must have happened so that the attack counts, for `--list`. `hasHappened` checks it. */
  countsIf: string;
  /** Runs in the attacking process until the signal is aborted. Returns how often each result occurred. */
  send(order: AttackOrder, signal: AbortSignal): Promise<Counts>;
  hasHappened(counts: Counts): boolean;
  durationMs: number;
  /**
   * Whether the attack uses up connections, or bytes outside of requests. nginx withstands such attacks, so
   * they are only sent through it. Other attacks are sent alternately through nginx and directly.
   */
  isOnConnections?: boolean;
  /** Changes the database before the attack. Returns parameters for `send`. */
  prepare?(databaseUrl: string): Promise<Record<string, number>>;
  /** Undoes the part of `prepare` that would slow down the rest of the run. */
  restore?(databaseUrl: string): Promise<void>;
  /** Checks the database during the attack. Returns a violation of I13, or null. */
  inspect?(databaseUrl: string): Promise<string | null>;
  /**
   * If set, the attack starts a further service process, whose log cannot be written, and attacks this
   * process.
   */
  brokenLog?: BrokenLog;
}

/** `full`: every write fails, as on a full disk. `stalled`: a pipe that nobody reads. */
export type BrokenLog = 'full' | 'stalled';

/** How often each result occurred. The keys are statuses of responses, and words such as `failed`. */
export type Counts = Record<string, number>;

/** What the attacking process gets from its parent. */
export interface AttackOrder {
  /** The name of the attack. */
  attack: string;
  url: string;
  /** Who attacks. */
  caller: Caller;
  /**
   * The headline of tokens that the attack creates. Different for every attack, also if the same attack runs
   * again.
   */
  uniqueName: string;
  /** What `prepare` returned. */
  params: Record<string, number>;
}

/** How long most attacks take. A probe may take up to 5 s, so a much shorter attack would show little. */
export const ATTACK_MS = 12_000;
// The pause after a request that failed or got a 429.
const PAUSE_AFTER_FAILURE_MS = 20;

/**
 * Runs this many concurrent loops. Each loop calls `send` again and again until the signal is aborted. `send`
 * gets the number of the call, and returns its result, such as a status. Returns how often each result
 * occurred. The result is `failed` if the call rejected, and `unfinished` if the end of the attack
 * interrupted it.
 */
export async function repeatConcurrently(
  loops: number,
  signal: AbortSignal,
  send: (index: number) => Promise<string | number>,
): Promise<Counts> {
  const counts: Counts = {};
  let index = 0;
  async function repeat(): Promise<void> {
    while (!signal.aborted) {
      const result = String(await send(index++).catch(() => (signal.aborted ? 'unfinished' : 'failed')));
      counts[result] = (counts[result] ?? 0) + 1;
      if (result === 'failed' || result === '429') await wait(PAUSE_AFTER_FAILURE_MS);
    }
  }
  await Promise.all(Array.from({ length: loops }, repeat));
  return counts;
}

/** The sum of all counts except those with these names. */
export function countAllExcept(counts: Counts, ...names: string[]): number {
  return Object.entries(counts).reduce((sum, [name, count]) => (names.includes(name) ? sum : sum + count), 0);
}

import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 20;

export interface Recovery {
  fault: string;
  /** The recovery ends with a write that this process accepts. Default: any process. */
  process?: string;
}

/** Measures the time from a kill, or from the end of another fault, until a write is accepted again. */
export interface Recoveries {
  begin(recovery: Recovery): void;
  /**
   * Reports an accepted write. It ends the recoveries that began before it was sent, unless they wait for
   * another process.
   */
  noteAccepted(process: string, sentAtMs: number): void;
  /** Resolves when every recovery has ended, or after `timeoutMs`. */
  waitUntilRecovered(timeoutMs: number): Promise<void>;
  /** Recovery times by fault. */
  readonly timesMs: Map<string, number[]>;
}

export function createRecoveries(): Recoveries {
  const timesMs: Recoveries['timesMs'] = new Map();
  let unfinished: (Recovery & { beganAtMs: number })[] = [];
  return {
    timesMs,
    begin(recovery) {
      unfinished.push({ ...recovery, beganAtMs: performance.now() });
    },
    noteAccepted(process, sentAtMs) {
      unfinished = unfinished.filter(({ fault, beganAtMs, process: expected }) => {
        const isRecovered = sentAtMs > beganAtMs && (expected === undefined || expected === process);
        if (!isRecovered) return true;
        timesMs.set(fault, [...(timesMs.get(fault) ?? []), performance.now() - beganAtMs]);
        return false;
      });
    },
    async waitUntilRecovered(timeoutMs) {
      const deadlineMs = performance.now() + timeoutMs;
      while (unfinished.length > 0 && performance.now() < deadlineMs) await wait(POLL_MS);
    },
  };
}

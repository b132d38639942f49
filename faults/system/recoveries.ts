import { setTimeout as wait } from 'node:timers/promises';

export interface Recovery {
  /** What was recovered from. */
  fault: string;
  /** The process whose accepted write ends the recovery; without it, anyone's does. */
  process?: string;
}

export interface Recoveries {
  begin(recovery: Recovery): void;
  noteAccepted(process: string, sentAtMs: number): void;
  /** Resolves when everything has been recovered from, or after so long. */
  waitUntilRecovered(longestMs: number): Promise<void>;
  /** From each beginning to the answer of the first write that was sent after it and accepted, by fault. */
  readonly timesMs: Map<string, number[]>;
}

/** Measures how long faults keep writes from being accepted. */
export function createRecoveries(): Recoveries {
  const timesMs: Recoveries['timesMs'] = new Map();
  let open: (Recovery & { atMs: number })[] = [];
  return {
    timesMs,
    begin(recovery) {
      open.push({ ...recovery, atMs: performance.now() });
    },
    noteAccepted(process, sentAtMs) {
      open = open.filter(({ fault, atMs, process: own = process }) => {
        if (sentAtMs <= atMs || own !== process) return true;
        timesMs.set(fault, [...(timesMs.get(fault) ?? []), performance.now() - atMs]);
        return false;
      });
    },
    async waitUntilRecovered(longestMs) {
      const deadlineMs = performance.now() + longestMs;
      while (open.length > 0 && performance.now() < deadlineMs) await wait(20);
    },
  };
}

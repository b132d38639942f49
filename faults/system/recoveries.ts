import { setTimeout as wait } from 'node:timers/promises';

export interface Kill {
  target: 'service' | 'postgres';
  /** The process whose accepted write ends the recovery; without it, anyone's does. */
  process?: string;
}

export interface Recoveries {
  noteKill(kill: Kill): void;
  noteAccepted(process: string, sentAtMs: number): void;
  /** Resolves when every kill has been recovered from, or after so long. */
  waitUntilRecovered(longestMs: number): Promise<void>;
  /** From each kill to the answer of the first write that was sent after it and accepted. */
  readonly timesMs: Record<Kill['target'], number[]>;
}

/** Measures how long each kill keeps writes from being accepted. */
export function createRecoveries(): Recoveries {
  const timesMs: Recoveries['timesMs'] = { service: [], postgres: [] };
  let open: (Kill & { atMs: number })[] = [];
  return {
    timesMs,
    noteKill(kill) {
      open.push({ ...kill, atMs: performance.now() });
    },
    noteAccepted(process, sentAtMs) {
      open = open.filter((kill) => {
        const isRecovered = sentAtMs > kill.atMs && (kill.process === undefined || kill.process === process);
        if (isRecovered) timesMs[kill.target].push(performance.now() - kill.atMs);
        return !isRecovered;
      });
    },
    async waitUntilRecovered(longestMs) {
      const deadlineMs = performance.now() + longestMs;
      while (open.length > 0 && performance.now() < deadlineMs) await wait(20);
    },
  };
}

import type { Database } from './database.ts';
import { findOldestPendingAgeMs } from './queue.ts';

const LOOK_EVERY_MS = 1_000;

export interface BacklogWatcher {
  /** For how long the oldest pending operation had waited when it was last looked at; 0 where there was none. */
  oldestAgeMs(): number;
  stop(): void;
}

/** Looks at the oldest pending operation once a second, as long as somebody asks or there is one. */
export function watchBacklog(db: Database): BacklogWatcher {
  let oldestAgeMs = 0;
  let isAsked = false;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function look(): Promise<void> {
    isAsked = false;
    // Where the database does not answer, the last answer stands: what is written meanwhile fails by itself.
    oldestAgeMs = await findOldestPendingAgeMs(db).catch(() => oldestAgeMs);
    timer = undefined;
    if (isAsked || oldestAgeMs > 0) lookIn(LOOK_EVERY_MS);
  }

  function lookIn(ms: number): void {
    if (!isStopped) timer ??= setTimeout(look, ms);
  }

  return {
    oldestAgeMs: () => {
      isAsked = true;
      lookIn(0);
      return oldestAgeMs;
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

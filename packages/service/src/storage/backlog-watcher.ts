import type { Database } from './database.ts';
import { findOldestPendingAgeMs } from './queue.ts';

const POLL_MS = 1_000;

export interface BacklogWatcher {
  /** The age of the oldest pending operation at the last poll; 0 if none was pending. */
  oldestAgeMs(): number;
  stop(): void;
}

/** Polls the age of the oldest pending operation every second, as long as callers read it or an operation is pending. */
export function watchBacklog(db: Database): BacklogWatcher {
  let oldestAgeMs = 0;
  let wasRead = false;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function poll(): Promise<void> {
    wasRead = false;
    // If the database does not respond, keep the last value: writes fail anyway.
    oldestAgeMs = await findOldestPendingAgeMs(db).catch(() => oldestAgeMs);
    timer = undefined;
    if (wasRead || oldestAgeMs > 0) pollIn(POLL_MS);
  }

  function pollIn(ms: number): void {
    if (!isStopped) timer ??= setTimeout(poll, ms);
  }

  return {
    oldestAgeMs: () => {
      wasRead = true;
      pollIn(0);
      return oldestAgeMs;
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

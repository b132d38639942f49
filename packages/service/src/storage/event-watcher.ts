import type { Database } from './database.ts';
import { findLastPositions } from './events.ts';
import type { Signals } from './signals.ts';

// Notifications are lost if their connection breaks; polling limits the delay.
const POLL_MS = 1_000;

export interface EventWatcher {
  /**
   * Resolves when the community's feed has an event after the position, at the timeout, when `signal` aborts, or when the
   * watcher stops.
   */
  waitForEvent(
    feed: { communityId: string; position: number },
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<void>;
  stop(): void;
}

interface Wait {
  communityId: string;
  position: number;
  resume(): void;
}

/** Waits for events. Each notification costs at most one query, however many requests wait. */
export function watchEvents(db: Database, signals: Signals, onError: (error: unknown) => void): EventWatcher {
  const waits = new Set<Wait>();
  let poll: NodeJS.Timeout | undefined;
  let isChecking = false;
  let isCheckWanted = false;
  let isStopped = false;

  async function check(): Promise<void> {
    isCheckWanted = true;
    if (isChecking) return;
    isChecking = true;
    while (isCheckWanted && waits.size > 0) {
      isCheckWanted = false;
      try {
        const communityIds = [...new Set([...waits].map(({ communityId }) => communityId))];
        const lastPositions = await findLastPositions(db, communityIds);
        for (const { communityId, position, resume } of [...waits]) {
          if ((lastPositions.get(communityId) ?? 0) > position) resume();
        }
      } catch (error) {
        onError(error);
      }
    }
    isChecking = false;
  }

  signals.on('badge_events_placed', () => void check());

  return {
    waitForEvent(feed, timeoutMs, signal) {
      if (isStopped || timeoutMs === 0 || signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wait = { ...feed, resume };
        const timer = setTimeout(resume, timeoutMs);
        function resume(): void {
          clearTimeout(timer);
          signal?.removeEventListener('abort', resume);
          waits.delete(wait);
          if (waits.size === 0) {
            clearInterval(poll);
            poll = undefined;
          }
          resolve();
        }
        signal?.addEventListener('abort', resume);
        waits.add(wait);
        poll ??= setInterval(() => void check(), POLL_MS);
        void check();
      });
    },
    stop: () => {
      isStopped = true;
      for (const { resume } of [...waits]) resume();
    },
  };
}

// Notifications are lost if their connection breaks; polling limits the delay.
const DEFAULT_POLL_MS = 1_000;
const FIRST_BACKOFF_MS = 100;

export interface Loop {
  /** Ends the pause, because there may be work. */
  wake(): void;
  /** Resolves after the current work is done. */
  stop(): Promise<void>;
}

interface LoopOptions {
  /** Returns whether there may be more work. */
  work: () => Promise<boolean>;
  onError: (error: unknown) => void;
  maxBackoffMs: number;
  pollMs?: number;
  /**
   * The pause before the first call of `work`, which `wake` ends too. Default: 0. Loops with different pauses
   * poll one after the other, so an idle process needs few connections.
   */
  firstPauseMs?: number;
}

/**
 * Calls `work` until it returns false, then pauses for `pollMs`. After an error, it pauses for an exponential
 * backoff instead. `wake` ends each of these pauses.
 */
export function startLoop({
  work,
  onError,
  maxBackoffMs,
  pollMs = DEFAULT_POLL_MS,
  firstPauseMs = 0,
}: LoopOptions): Loop {
  let isStopping = false;
  let isWorkWaiting = true;
  let endPause: () => void = () => undefined;

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(end, ms);
      function end(): void {
        clearTimeout(timer);
        resolve();
      }
      endPause = end;
    });
  }

  async function run(): Promise<void> {
    let errors = 0;
    if (firstPauseMs > 0) await pause(firstPauseMs);
    while (!isStopping) {
      isWorkWaiting = false;
      try {
        const isMoreWaiting = await work();
        // During the work, `wake` may have set `isWorkWaiting`.
        isWorkWaiting ||= isMoreWaiting;
        errors = 0;
      } catch (error) {
        onError(error);
        // Even if `wake` was called during the failed work, the backoff is kept.
        isWorkWaiting = false;
        errors += 1;
      }
      const pauseMs = errors === 0 ? pollMs : Math.min(FIRST_BACKOFF_MS * 2 ** (errors - 1), maxBackoffMs);
      if (!isWorkWaiting && !isStopping) await pause(pauseMs);
    }
  }

  const running = run();
  return {
    wake: () => {
      isWorkWaiting = true;
      endPause();
    },
    stop: async () => {
      isStopping = true;
      endPause();
      await running;
    },
  };
}

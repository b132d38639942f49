// Signals can be lost with their connection; this bounds what that costs.
const SAFETY_POLL_MS = 1_000;

export interface Loop {
  /** Says that there may be work. */
  wake(): void;
  /** Resolves once the work in hand is done. */
  stop(): Promise<void>;
}

interface LoopOptions {
  /** Answers whether there may be more to do. */
  work: () => Promise<boolean>;
  onFailure: (error: unknown) => void;
  longestPauseMs: number;
}

/** Works at once while there is work; else when it is woken or after a second; after a failure, with a growing pause. */
export function startLoop({ work, onFailure, longestPauseMs }: LoopOptions): Loop {
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
    let failures = 0;
    while (!isStopping) {
      isWorkWaiting = false;
      try {
        const isMoreWaiting = await work();
        isWorkWaiting ||= isMoreWaiting;
        failures = 0;
      } catch (error) {
        onFailure(error);
        isWorkWaiting = false;
        failures += 1;
      }
      const pauseMs = failures === 0 ? SAFETY_POLL_MS : Math.min(50 * 2 ** failures, longestPauseMs);
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

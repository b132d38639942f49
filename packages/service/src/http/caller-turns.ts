const MAX_TURN_MS = 1_000;
const MAX_PAUSE_MS = 200;

/** Lets one request at a time do what costs much time on the event loop. */
export interface CallerTurns {
  /** Waits until it is this caller's turn. Returns the function that ends the turn. */
  take(caller: string): Promise<() => void>;
}

/**
 * Creates turns that go round the callers that wait. After each, the event loop serves other requests for
 * as long as the turn took, up to 200 ms. If a turn takes longer than a second, such as when the database is slow,
 * the next one begins.
 */
export function createCallerTurns(maxTurnMs = MAX_TURN_MS): CallerTurns {
  // The caller whose turn is next is first.
  const waiting = new Map<string, (() => void)[]>();
  let isTaken = false;

  function begin(): () => void {
    isTaken = true;
    const beganAtMs = performance.now();
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      setTimeout(startNext, Math.min(performance.now() - beganAtMs, MAX_PAUSE_MS));
    };
    const timer = setTimeout(end, maxTurnMs);
    return end;
  }

  function startNext(): void {
    isTaken = false;
    const [next] = waiting;
    if (next === undefined) return;
    const [caller, queue] = next;
    const start = queue.shift();
    waiting.delete(caller);
    if (queue.length > 0) waiting.set(caller, queue);
    isTaken = true;
    start?.();
  }

  return {
    take: async (caller) => {
      if (isTaken) {
        await new Promise<void>((resolve) => {
          const queue = waiting.get(caller) ?? [];
          queue.push(resolve);
          waiting.set(caller, queue);
        });
      }
      return begin();
    },
  };
}

/** The part of a limit at which requests are sent. */
const RATE = 0.75;

/** Delays the requests of callers, so that none of them exceeds its limit. */
export interface Pacer {
  /**
   * Resolves when a request of a caller may be sent. The limit of the caller is `perSecond`, and the request
   * counts as `weight` requests. Call the returned function when there is a response, or the connection is
   * lost.
   */
  enter(caller: string, perSecond: number, weight: number): Promise<() => void>;
}

interface Caller {
  /** Resolves when the last request that has come may be sent. */
  lastTurn: Promise<void>;
  /** When the next request may be sent. */
  nextAtMs: number;
  unanswered: number;
  /** Called when a request is answered. */
  onAnswer: () => void;
}

/**
 * Creates a pacer. It knows neither when the service's windows of five seconds begin, nor how long a request
 * waits before it is counted. A window counts at most the requests that were unanswered at its beginning, and
 * those that are sent in it. So at most the requests of a second are unanswered at a time, and those of 3.75
 * seconds are sent in five.
 */
export function createPacer(): Pacer {
  const callers = new Map<string, Caller>();

  function findCaller(name: string): Caller {
    const caller = callers.get(name) ?? {
      lastTurn: Promise.resolve(),
      nextAtMs: 0,
      unanswered: 0,
      onAnswer: () => undefined,
    };
    callers.set(name, caller);
    return caller;
  }

  async function waitForTurn(caller: Caller, perSecond: number, weight: number): Promise<void> {
    while (caller.unanswered + weight > perSecond) {
      const { promise, resolve } = Promise.withResolvers<void>();
      caller.onAnswer = resolve;
      await promise;
    }
    const nowMs = performance.now();
    if (caller.nextAtMs > nowMs) await new Promise((resolve) => setTimeout(resolve, caller.nextAtMs - nowMs));
    caller.nextAtMs = Math.max(performance.now(), caller.nextAtMs) + (weight * 1_000) / (RATE * perSecond);
    caller.unanswered += weight;
  }

  return {
    async enter(name, perSecond, weight) {
      const caller = findCaller(name);
      caller.lastTurn = caller.lastTurn.then(() => waitForTurn(caller, perSecond, weight));
      await caller.lastTurn;
      return () => {
        caller.unanswered -= weight;
        caller.onAnswer();
      };
    },
  };
}

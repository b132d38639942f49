/** How many requests may be sent: at the same time, and in a second. */
export interface GateLimits {
  concurrency: number;
  requestsPerSecond: number;
}

/** Thrown if a request had to wait too long for its turn. */
export class GateBusy extends Error {
  override name = 'GateBusy';
}

export interface Gate {
  /** Waits until a request may be sent. Returns the function that ends it. Rejects with `GateBusy` if the signal aborts first. */
  enter(signal: AbortSignal): Promise<() => void>;
}

// More requests would not get their turn before they give up.
const MAX_WAITING = 256;

/** Limits requests. Those that must wait get their turns in the order of their arrival. */
export function createGate(
  { concurrency, requestsPerSecond }: GateLimits,
  monotonicMs = () => performance.now(),
): Gate {
  const waiting: (() => void)[] = [];
  let active = 0;
  // A second's worth of requests may be sent at once.
  let tokens = requestsPerSecond;
  let refilledAtMs = monotonicMs();
  let timer: NodeJS.Timeout | undefined;

  function admit(): void {
    const nowMs = monotonicMs();
    tokens = Math.min(requestsPerSecond, tokens + ((nowMs - refilledAtMs) / 1_000) * requestsPerSecond);
    refilledAtMs = nowMs;
    while (active < concurrency && tokens >= 1) {
      const next = waiting.shift();
      if (next === undefined) return;
      active += 1;
      tokens -= 1;
      next();
    }
    // The end of a request admits the next one. Without tokens, only time does.
    if (waiting.length === 0 || active >= concurrency || timer !== undefined) return;
    timer = setTimeout(
      () => {
        timer = undefined;
        admit();
      },
      Math.ceil(((1 - tokens) / requestsPerSecond) * 1_000) + 1,
    );
  }

  function leave(): void {
    active -= 1;
    admit();
  }

  return {
    enter: async (signal) => {
      if (signal.aborted || waiting.length >= MAX_WAITING) throw new GateBusy();
      return await new Promise<() => void>((resolve, reject) => {
        const take = () => {
          signal.removeEventListener('abort', giveUp);
          resolve(leave);
        };
        const giveUp = () => {
          waiting.splice(waiting.indexOf(take), 1);
          reject(new GateBusy());
        };
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.push(take);
        admit();
      });
    },
  };
}

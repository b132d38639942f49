import { LRUCache } from 'lru-cache';

const MAX_NAMES = 10_000;

/** Lets something happen for each name up to `burst` times at once, then at a constant rate. */
export interface Pace {
  /** Returns 0 and counts it, or returns in how many seconds it may happen. */
  take(name: string): number;
  /** Undoes one `take` that was counted. */
  giveBack(name: string): void;
}

/** Creates a pace. Each process has its own, so that many processes together allow more. */
export function createPace(
  { burst, perSecond }: { burst: number; perSecond: number },
  monotonicMs = () => performance.now(),
): Pace {
  const intervalMs = 1_000 / perSecond;
  // When what has happened for a name will be forgotten (GCRA).
  const freeAtMs = new LRUCache<string, number>({ max: MAX_NAMES });
  return {
    take: (name) => {
      const nowMs = monotonicMs();
      const startMs = Math.max(freeAtMs.get(name) ?? nowMs, nowMs);
      const waitMs = startMs - nowMs - (burst - 1) * intervalMs;
      if (waitMs > 0) return Math.ceil(waitMs / 1_000);
      freeAtMs.set(name, startMs + intervalMs);
      return 0;
    },
    giveBack: (name) => {
      const freeMs = freeAtMs.get(name);
      if (freeMs !== undefined) freeAtMs.set(name, freeMs - intervalMs);
    },
  };
}

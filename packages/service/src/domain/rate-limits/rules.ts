import { createHash } from 'node:crypto';

/** Long enough that a burst passes, as a script's or a page's, whose average is within the limit. */
export const WINDOW_SECONDS = 5;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
// A slower answer tells the time too roughly.
const LONGEST_CLOCK_TRIP_MS = 1_000;

/** How much of a quota is used in the window that runs. */
export interface Count {
  remaining: number;
  isExceeded: boolean;
  /** Seconds until the quota is whole again, at least 1. */
  resetSeconds: number;
}

/** What one process has counted of a window: its total for every name that it has counted since it last told. */
export interface News {
  windowNumber: number;
  requests: Map<string, number>;
}

/** What the other processes have counted of the same names and window, and the database's time. */
export interface Reply {
  nowMs: number;
  requests: Map<string, number>;
}

/** Counts requests by name, in windows that are the same on every process once it has learned the time. */
export interface RequestCounter {
  /** Counts one request, unless the quota was used up before it. */
  count(name: string, quota: number): Count;
  /** Tells how it stands without counting. */
  look(name: string, quota: number): Count;
  news(): News;
  /** Takes in the reply to news that were told at `askedMs`. */
  learn(news: News, reply: Reply, askedMs: number): void;
  /** Milliseconds of a clock that never goes back. */
  clock(): number;
}

/** Makes a counter; with each window it forgets what it held. */
export function createRequestCounter(clock = () => performance.now()): RequestCounter {
  let offsetMs = Date.now() - clock();
  let windowNumber = 0;
  let counts = new Map<string, { own: number; told: number; others: number }>();

  /** Answers the milliseconds that are left of the window. */
  function turnWindow(): number {
    const nowMs = clock() + offsetMs;
    const next = Math.floor(nowMs / WINDOW_MS);
    // A hair before the window that has begun, since the time was learned anew: it stays begun.
    if (next !== windowNumber && next !== windowNumber - 1) {
      windowNumber = next;
      counts = new Map();
    }
    return Math.min((windowNumber + 1) * WINDOW_MS - nowMs, WINDOW_MS);
  }

  function look(name: string, quota: number): Count {
    const leftMs = turnWindow();
    const { own = 0, others = 0 } = counts.get(name) ?? {};
    const used = own + others;
    return {
      remaining: Math.max(0, quota - used),
      isExceeded: used >= quota,
      resetSeconds: Math.ceil(leftMs / 1_000),
    };
  }

  return {
    look,
    count: (name, quota) => {
      const before = look(name, quota);
      if (before.isExceeded) return before;
      const count = counts.get(name) ?? { own: 0, told: 0, others: 0 };
      count.own += 1;
      counts.set(name, count);
      return { ...before, remaining: before.remaining - 1 };
    },
    news: () => {
      turnWindow();
      const untold = [...counts].filter(([, { own, told }]) => own > told);
      return { windowNumber, requests: new Map(untold.map(([name, { own }]) => [name, own])) };
    },
    learn: (news, reply, askedMs) => {
      const answeredMs = clock();
      if (answeredMs - askedMs <= LONGEST_CLOCK_TRIP_MS) {
        offsetMs = reply.nowMs - (askedMs + answeredMs) / 2;
      }
      turnWindow();
      if (news.windowNumber !== windowNumber) return;
      for (const [name, told] of news.requests) {
        const count = counts.get(name);
        if (count !== undefined) Object.assign(count, { told, others: reply.requests.get(name) ?? 0 });
      }
    },
    clock,
  };
}

/** A name that tells nothing by itself, and is short whatever `who` is. */
export function nameOfCaller(policy: string, who: string): string {
  return createHash('sha256').update(`${policy} ${who}`).digest('base64url').slice(0, 22);
}

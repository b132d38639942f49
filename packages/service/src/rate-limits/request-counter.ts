import { hash } from 'node:crypto';
import type { CountReport, OtherCounts } from '../storage/request-counts.ts';

/**
 * Requests may exceed the limit per second for a short time, if their average over a window is within the
 * limit.
 */
export const WINDOW_SECONDS = 5;
// The database is assumed to read its clock in the middle between request and response. If the response takes
// longer than this, the assumption is too imprecise.
const MAX_CLOCK_ROUND_TRIP_MS = 1_000;

/** How much of a quota is left in the current window. */
export interface QuotaState {
  remaining: number;
  isExceeded: boolean;
  /** Seconds until the window ends, at least 1. */
  resetSeconds: number;
}

/**
 * Counts requests by name in fixed windows. The windows follow the database's time, so all processes share
 * them.
 */
export interface RequestCounter {
  /**
   * Counts a request as `weight` requests. If the quota is already used up, counts nothing, and `isExceeded`
   * is true.
   */
  count(name: string, quota: number, weight?: number): QuotaState;
  /** Returns the state without counting. */
  peek(name: string, quota: number): QuotaState;
  /** Returns the counts that have grown since the last report that was passed to `merge`. */
  report(): CountReport;
  /**
   * Stores what the other processes have counted, and the database's time. `reportedAtMs` is the monotonic
   * time at which the report was sent.
   */
  merge(report: CountReport, others: OtherCounts, reportedAtMs: number): void;
  monotonicMs(): number;
}

/**
 * Creates a counter. It forgets its counts at the end of each window. Its windows have the number of their
 * last five seconds, so that the counts of windows of different lengths can be stored together.
 */
export function createRequestCounter(
  monotonicMs = () => performance.now(),
  windowSeconds = WINDOW_SECONDS,
): RequestCounter {
  const windowMs = windowSeconds * 1_000;
  const periods = windowSeconds / WINDOW_SECONDS;
  let offsetMs = Date.now() - monotonicMs();
  let windowNumber = 0;
  let counts = new Map<string, { own: number; reported: number; others: number }>();

  /** Moves to the current window and returns the milliseconds left in it. */
  function enterWindow(): number {
    const nowMs = monotonicMs() + offsetMs;
    const current = Math.floor(nowMs / windowMs) * periods + periods - 1;
    // A new estimate of the database's time can be a little earlier. In this case, the window does not
    // change.
    if (current !== windowNumber && current !== windowNumber - periods) {
      windowNumber = current;
      counts = new Map();
    }
    return Math.min((windowNumber + 1) * WINDOW_SECONDS * 1_000 - nowMs, windowMs);
  }

  function peek(name: string, quota: number): QuotaState {
    const leftMs = enterWindow();
    const { own = 0, others = 0 } = counts.get(name) ?? {};
    const used = own + others;
    return {
      remaining: Math.max(0, quota - used),
      isExceeded: used >= quota,
      resetSeconds: Math.ceil(leftMs / 1_000),
    };
  }

  return {
    peek,
    count: (name, quota, weight = 1) => {
      const state = peek(name, quota);
      if (state.isExceeded) return state;
      const count = counts.get(name) ?? { own: 0, reported: 0, others: 0 };
      count.own += weight;
      counts.set(name, count);
      return { ...state, remaining: Math.max(0, state.remaining - weight) };
    },
    report: () => {
      enterWindow();
      const changed = [...counts].filter(([, { own, reported }]) => own > reported);
      const firstPeriod = windowNumber - periods + 1;
      return { windowNumber, firstPeriod, requests: new Map(changed.map(([name, { own }]) => [name, own])) };
    },
    merge: (report, others, reportedAtMs) => {
      const repliedAtMs = monotonicMs();
      if (repliedAtMs - reportedAtMs <= MAX_CLOCK_ROUND_TRIP_MS) {
        offsetMs = others.nowMs - (reportedAtMs + repliedAtMs) / 2;
      }
      enterWindow();
      if (report.windowNumber !== windowNumber) return;
      for (const [name, reported] of report.requests) {
        const count = counts.get(name);
        if (count !== undefined) {
          Object.assign(count, { reported, others: others.requests.get(name) ?? 0 });
        }
      }
    },
    monotonicMs,
  };
}

/**
 * Returns the name under which a policy counts a key or an address. It is a short hash, so no address is
 * stored as text.
 */
export function toCountName(policy: string, identity: string): string {
  return hash('sha256', `${policy} ${identity}`, 'base64url').slice(0, 22);
}

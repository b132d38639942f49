import type { QuotaState, RequestCounter } from './request-counter.ts';

/** A quota that a burst may use at once. Afterwards, it grows by a constant rate. */
export interface GrowingQuota {
  burst: number;
  perSecond: number;
}

/**
 * Returns how much is left of such a quota, and in how many seconds there is more. The counter counts in windows, so at the
 * begin of each of them a burst is possible again. Its window should be so long that this is rare.
 */
export function peekGrowing(
  counter: RequestCounter,
  name: string,
  { burst, perSecond }: GrowingQuota,
): QuotaState & { quota: number } {
  const { windowSeconds } = counter;
  const { resetSeconds } = counter.peek(name, 0);
  const quota = burst + Math.floor((windowSeconds - resetSeconds) * perSecond);
  const state = counter.peek(name, quota);
  return { ...state, quota, resetSeconds: Math.min(resetSeconds, Math.ceil(1 / perSecond)) };
}

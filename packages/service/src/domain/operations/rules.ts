// Accepted three times as fast as it is settled, a backlog of this age is settled within 45 more seconds.
const LONGEST_BACKLOG_MS = 15_000;

/** Whether the oldest pending operation has waited for so long that no more may be accepted. */
export function isBacklogTooOld(oldestAgeMs: number): boolean {
  return oldestAgeMs > LONGEST_BACKLOG_MS;
}

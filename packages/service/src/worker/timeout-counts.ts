export interface TimeoutCounts {
  has(operationId: string): boolean;
  /**
   * Counts a timeout of an operation, and returns how many of its timeouts have counted. `totalSettled` is
   * how many operations the worker has settled. If it has settled none since the operation's last timeout,
   * the database may be slow, so the timeout does not count.
   */
  add(operationId: string, totalSettled: number): number;
  /** Deletes the counts of all other operations. */
  deleteExcept(operationIds: string[]): void;
}

/** Counts the timeouts of isolated operations. */
export function createTimeoutCounts(): TimeoutCounts {
  // By operation: the number of timeouts, and `totalSettled` at the last of them.
  const counts = new Map<string, { timeouts: number; totalSettled: number }>();

  return {
    has: (operationId) => counts.has(operationId),
    add: (operationId, totalSettled) => {
      const last = counts.get(operationId);
      if (last?.totalSettled === totalSettled) return last.timeouts;
      const timeouts = (last?.timeouts ?? 0) + 1;
      counts.set(operationId, { timeouts, totalSettled });
      return timeouts;
    },
    deleteExcept: (operationIds) => {
      const kept = new Set(operationIds);
      for (const operationId of counts.keys()) if (!kept.has(operationId)) counts.delete(operationId);
    },
  };
}

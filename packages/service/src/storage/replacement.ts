/**
 * Replaces all connections of this process to the database. This is needed when the database's address leads
 * to another server. Otherwise the connections to the old server might stay open: a change in DNS closes no
 * connection, and a load balancer may close none.
 */
export interface Replacement {
  /**
   * The number of replacements so far. A connection that was opened at another number is not used any more.
   */
  count(): number;
  /**
   * Replaces all connections. `countWhenOpened` is the result of `count` when the connection that caused this
   * call was opened. If the connections were replaced since then, nothing happens.
   */
  replace(countWhenOpened: number): void;
  /** Calls `listener` at each replacement, until the returned function is called. */
  onReplace(listener: () => void): () => void;
}

export function createReplacement(): Replacement {
  const listeners = new Set<() => void>();
  let count = 0;
  return {
    count: () => count,
    replace: (countWhenOpened) => {
      if (countWhenOpened !== count) return;
      count += 1;
      for (const listener of listeners) listener();
    },
    onReplace: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

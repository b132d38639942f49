/** Creates a queue whose items each have a key. The keys take turns, and the items of a key stay in order. */
export function createTurnQueue<T extends object>() {
  // The first key has the next turn.
  const itemsByKey = new Map<string, Set<T>>();
  let total = 0;

  function remove(key: string, item: T): void {
    const items = itemsByKey.get(key);
    if (!items?.delete(item)) return;
    total -= 1;
    if (items.size === 0) itemsByKey.delete(key);
  }

  return {
    add(key: string, item: T): void {
      const items = itemsByKey.get(key) ?? new Set();
      itemsByKey.set(key, items.add(item));
      total += 1;
    },
    /** Removes an item. Does nothing if it has been removed already. */
    remove,
    /** Removes the next item. Returns it with its key; undefined if the queue is empty. */
    takeNext(): { key: string; item: T } | undefined {
      const [[key, items] = []] = itemsByKey;
      const [item] = items ?? [];
      if (key === undefined || items === undefined || item === undefined) return undefined;
      // The other keys have their turns before the next one of this key.
      itemsByKey.delete(key);
      itemsByKey.set(key, items);
      remove(key, item);
      return { key, item };
    },
    /** The number of items of a key or, without a key, of all keys. */
    size: (key?: string): number => (key === undefined ? total : (itemsByKey.get(key)?.size ?? 0)),
  };
}

/** A queue whose items each have a key. The keys take turns, and the items of a key stay in order. */
export interface TurnQueue<Item> {
  /** The number of items of all keys. */
  readonly size: number;
  sizeOf(key: string): number;
  has(key: string, item: Item): boolean;
  /** Adds an item as the last one of its key. Does nothing if the key has it already. */
  add(key: string, item: Item): void;
  /** Removes an item. Does nothing if the key does not have it. */
  remove(key: string, item: Item): void;
  /**
   * Removes and returns the next item that `choose` accepts. `choose` gets the first item of each key, in the
   * order of the turns: `take` removes this item, `skip` goes on with the next key, `stop` ends the search.
   * Default: take the first. After a key's turn, the other keys have theirs before its next one.
   */
  take(
    choose?: (key: string, item: Item) => 'take' | 'skip' | 'stop',
  ): { key: string; item: Item } | undefined;
}

export function createTurnQueue<Item>(): TurnQueue<Item> {
  // Every key has an item.
  const itemsByKey = new Map<string, Set<Item>>();
  // The key that had the last turn. It moves to the end before the next turn, behind the keys that were added
  // meanwhile.
  let lastKey = '';
  let size = 0;

  function endLastTurn(): void {
    const items = itemsByKey.get(lastKey);
    if (items === undefined) return;
    itemsByKey.delete(lastKey);
    itemsByKey.set(lastKey, items);
  }

  function remove(key: string, item: Item): void {
    const items = itemsByKey.get(key);
    if (!items?.delete(item)) return;
    size -= 1;
    if (items.size === 0) itemsByKey.delete(key);
  }

  return {
    get size() {
      return size;
    },
    sizeOf: (key) => itemsByKey.get(key)?.size ?? 0,
    has: (key, item) => itemsByKey.get(key)?.has(item) ?? false,
    add(key, item) {
      const items = itemsByKey.get(key) ?? new Set();
      if (items.has(item)) return;
      itemsByKey.set(key, items.add(item));
      size += 1;
    },
    remove,
    take(choose = () => 'take') {
      endLastTurn();
      for (const [key, items] of itemsByKey) {
        for (const item of items) {
          const choice = choose(key, item);
          if (choice === 'stop') return undefined;
          if (choice === 'skip') break;
          lastKey = key;
          remove(key, item);
          return { key, item };
        }
      }
      return undefined;
    },
  };
}

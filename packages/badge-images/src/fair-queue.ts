/**
 * A queue that several clients share fairly by cost. The next item belongs to the client that has used the least so
 * far, so a client with many items does not delay the others. Several clients can queue the same item.
 */
export interface FairQueue<Item> {
  /** The number of different items in the queue. */
  readonly size: number;
  /** The number of items that a client has in the queue. */
  sizeOf(client: string): number;
  has(client: string, item: Item): boolean;
  /** Adds an item to a client's items, in order. */
  add(client: string, item: Item): void;
  /** Removes an item from a client's items. The item stays in the queue if another client has it too. */
  remove(client: string, item: Item): void;
  /** Removes the next item, from all clients that have it. Returns it with the client whose turn it was. */
  take(): { client: string; item: Item } | undefined;
  /** Adds a cost to what a client has used. Costs have any unit, but the same one for all clients. */
  charge(client: string, cost: number): void;
}

interface Client<Item> {
  /** The sum of the costs that were charged to it. */
  used: number;
  readonly items: Set<Item>;
}

export function createFairQueue<Item>(): FairQueue<Item> {
  // The client that was charged longest ago is first, so clients that have used the same amount take turns.
  const clients = new Map<string, Client<Item>>();
  // The items in the queue, with the number of clients that have each.
  const waiting = new Map<Item, number>();
  // What the client of the last turn had used. A client without items in the queue counts as having used at least this
  // much when it adds one. Otherwise it would get many turns in a row.
  let lastTurnUsed = 0;

  function clientOf(name: string): Client<Item> {
    const client = clients.get(name) ?? { used: lastTurnUsed, items: new Set() };
    clients.set(name, client);
    return client;
  }

  function remove(name: string, item: Item): void {
    if (!clients.get(name)?.items.delete(item)) return;
    const others = (waiting.get(item) ?? 0) - 1;
    if (others > 0) waiting.set(item, others);
    else waiting.delete(item);
  }

  // Forgets clients without items. But while other items wait, a client that has used more than `lastTurnUsed` is kept.
  // If it were forgotten, it would start again with `lastTurnUsed`, and so get its next turn too early.
  function forgetIdleClients(): void {
    for (const [name, { used, items }] of clients) {
      if (items.size === 0 && (used <= lastTurnUsed || waiting.size === 0)) clients.delete(name);
    }
  }

  return {
    get size() {
      return waiting.size;
    },
    sizeOf: (name) => clients.get(name)?.items.size ?? 0,
    has: (name, item) => clients.get(name)?.items.has(item) ?? false,
    add(name, item) {
      const client = clientOf(name);
      if (client.items.has(item)) return;
      if (client.items.size === 0) client.used = Math.max(client.used, lastTurnUsed);
      client.items.add(item);
      waiting.set(item, (waiting.get(item) ?? 0) + 1);
    },
    remove,
    take() {
      let next: { name: string; client: Client<Item> } | undefined;
      for (const [name, client] of clients) {
        if (client.items.size > 0 && (next === undefined || client.used < next.client.used)) {
          next = { name, client };
        }
      }
      const [item] = next?.client.items ?? [];
      if (next === undefined || item === undefined) return undefined;
      lastTurnUsed = Math.max(lastTurnUsed, next.client.used);
      for (const name of clients.keys()) remove(name, item);
      forgetIdleClients();
      return { client: next.name, item };
    },
    charge(name, cost) {
      const client = clientOf(name);
      client.used += cost;
      clients.delete(name);
      clients.set(name, client);
      forgetIdleClients();
    },
  };
}

/** How calls are gathered: at most so many, and so much weight, in one piece of work. */
interface GatherOptions<Item> {
  maxItems: number;
  maxWeight?: number;
  weigh?: (item: Item) => number;
  /** Pieces of work under way at once; what arrives meanwhile waits and goes together. */
  maxUnderWay?: number;
  /** Whether a failure is the work's as a whole: then its items are not tried alone, and what waits fails with them. */
  isShared?: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Turns a function over a set into a function over one item: calls that arrive in the same tick, or while
 * earlier work is under way, are done together, and each caller gets its own result.
 * When a set fails by one bad item, its items are tried alone, so that only the bad one's caller fails.
 */
export function gather<Item, Result>(
  options: GatherOptions<Item>,
  work: (items: Item[]) => Promise<Result[]>,
): (item: Item) => Promise<Result> {
  const {
    maxItems,
    maxWeight = Infinity,
    weigh = () => 0,
    maxUnderWay = 2,
    isShared = () => false,
  } = options;
  let queue: Waiting<Item, Result>[] = [];
  let underWay = 0;
  let isScheduled = false;

  function takeSet(): Waiting<Item, Result>[] {
    let weight = 0;
    const end = queue.findIndex(({ item }, index) => {
      weight += weigh(item);
      return index >= maxItems || (index > 0 && weight > maxWeight);
    });
    const taken = end === -1 ? queue : queue.slice(0, end);
    queue = end === -1 ? [] : queue.slice(end);
    return taken;
  }

  async function run(waiting: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await work(waiting.map(({ item }) => item));
      waiting.forEach(({ resolve }, index) => {
        resolve(results[index] as Result);
      });
    } catch (error) {
      const [first] = waiting;
      if (isShared(error)) {
        for (const { reject } of [...waiting, ...queue.splice(0)]) reject(error);
      } else if (waiting.length === 1) {
        for (const { reject } of waiting) reject(error);
      } else if (first !== undefined) {
        for (const single of waiting) await run([single]);
      }
    }
  }

  function start(): void {
    isScheduled = false;
    while (queue.length > 0 && underWay < maxUnderWay) {
      underWay += 1;
      void run(takeSet()).finally(() => {
        underWay -= 1;
        start();
      });
    }
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (isScheduled || underWay >= maxUnderWay) return;
      isScheduled = true;
      setImmediate(start);
    });
}

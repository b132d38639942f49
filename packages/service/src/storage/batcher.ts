interface BatcherOptions<Item> {
  maxItems: number;
  maxWeight?: number;
  weigh?: (item: Item) => number;
  /** How many batches run concurrently. Later calls wait, and share the next batch. */
  maxConcurrent?: number;
  /** Returns true for an error that every item would cause. The batch and all waiting calls then fail with it. */
  failsEveryItem?: (error: unknown) => boolean;
}

interface QueuedCall<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Turns a function over a batch into a function over one item. Calls of the same tick, and calls that wait for
 * earlier batches, share a batch; each caller gets its own result.
 * If a batch fails, its items are retried one by one, so that only the callers of bad items get an error.
 */
export function createBatcher<Item, Result>(
  options: BatcherOptions<Item>,
  processBatch: (items: Item[]) => Promise<Result[]>,
): (item: Item) => Promise<Result> {
  const {
    maxItems,
    maxWeight = Infinity,
    weigh = () => 0,
    maxConcurrent = 2,
    failsEveryItem = () => false,
  } = options;
  let queue: QueuedCall<Item, Result>[] = [];
  let running = 0;
  let isScheduled = false;

  function takeBatch(): QueuedCall<Item, Result>[] {
    let weight = 0;
    const end = queue.findIndex(({ item }, index) => {
      weight += weigh(item);
      return index >= maxItems || (index > 0 && weight > maxWeight);
    });
    const batch = end === -1 ? queue : queue.slice(0, end);
    queue = end === -1 ? [] : queue.slice(end);
    return batch;
  }

  async function run(batch: QueuedCall<Item, Result>[]): Promise<void> {
    try {
      const results = await processBatch(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as Result);
      });
    } catch (error) {
      if (failsEveryItem(error)) {
        for (const { reject } of [...batch, ...queue.splice(0)]) reject(error);
      } else if (batch.length === 1) {
        for (const { reject } of batch) reject(error);
      } else {
        for (const call of batch) await run([call]);
      }
    }
  }

  function start(): void {
    isScheduled = false;
    while (queue.length > 0 && running < maxConcurrent) {
      running += 1;
      void run(takeBatch()).finally(() => {
        running -= 1;
        start();
      });
    }
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (isScheduled || running >= maxConcurrent) return;
      isScheduled = true;
      setImmediate(start);
    });
}

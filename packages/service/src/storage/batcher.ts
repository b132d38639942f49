interface BatcherOptions<Item> {
  maxItems: number;
  /**
   * The most that the items of a batch weigh together. A heavier item gets a batch of its own. Default: no
   * limit.
   */
  maxWeight?: number;
  /** Returns the weight of an item. Default: 0. */
  weigh?: (item: Item) => number;
  /**
   * The group of an item. Groups take turns: a batch takes one item of each group, then another of each,
   * until it is full.
   */
  findGroup?: (item: Item) => string;
  /** The most batches that run concurrently. Further calls wait, and share the next batch. Default: 2. */
  maxConcurrent?: number;
  /**
   * Returns true for an error that every item would cause. The batch and all waiting calls then fail with it.
   */
  isErrorOfAllItems?: (error: unknown) => boolean;
}

interface WaitingCall<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Returns a function that processes one item with `processBatch`, which processes several. Calls of the same
 * tick, and calls that wait for earlier batches, share a batch. Each call returns its own result, or rejects
 * if this result is an error.
 *
 * If a batch fails, its items are retried one by one, so that only the calls with invalid items reject. An
 * error that every item would cause ends the retries.
 */
export function createBatcher<Item, Result>(
  options: BatcherOptions<Item>,
  processBatch: (items: Item[]) => Promise<(Result | Error)[]>,
): (item: Item) => Promise<Result> {
  const {
    maxItems,
    maxWeight = Infinity,
    weigh = () => 0,
    findGroup = () => '',
    maxConcurrent = 2,
    isErrorOfAllItems = () => false,
  } = options;
  // The waiting calls. The group whose turn is next comes first.
  const callsByGroup = new Map<string, WaitingCall<Item, Result>[]>();
  let running = 0;
  let isScheduled = false;

  function takeBatch(): WaitingCall<Item, Result>[] {
    const batch: WaitingCall<Item, Result>[] = [];
    let weight = 0;
    // A group with more calls is added again at the end, so the loop returns to it.
    for (const [group, calls] of callsByGroup) {
      const [call] = calls;
      if (call === undefined) continue;
      weight += weigh(call.item);
      if (batch.length === maxItems || (batch.length > 0 && weight > maxWeight)) break;
      batch.push(call);
      calls.shift();
      callsByGroup.delete(group);
      if (calls.length > 0) callsByGroup.set(group, calls);
    }
    return batch;
  }

  function takeAll(): WaitingCall<Item, Result>[] {
    const all = [...callsByGroup.values()].flat();
    callsByGroup.clear();
    return all;
  }

  async function run(batch: WaitingCall<Item, Result>[]): Promise<void> {
    try {
      const results = await processBatch(batch.map(({ item }) => item));
      for (const [index, call] of batch.entries()) resolveOrReject(call, results[index]);
    } catch (error) {
      if (isErrorOfAllItems(error)) rejectWithWaitingCalls(batch, error);
      else if (batch.length === 1) batch[0]?.reject(error);
      else await retryOneByOne(batch);
    }
  }

  async function retryOneByOne(batch: WaitingCall<Item, Result>[]): Promise<void> {
    for (const [index, call] of batch.entries()) {
      try {
        const [result] = await processBatch([call.item]);
        resolveOrReject(call, result);
      } catch (error) {
        if (isErrorOfAllItems(error)) return rejectWithWaitingCalls(batch.slice(index), error);
        call.reject(error);
      }
    }
  }

  function resolveOrReject(
    { resolve, reject }: WaitingCall<Item, Result>,
    result: Result | Error | undefined,
  ): void {
    if (result instanceof Error) reject(result);
    else resolve(result as Result);
  }

  function rejectWithWaitingCalls(calls: WaitingCall<Item, Result>[], error: unknown): void {
    for (const { reject } of [...calls, ...takeAll()]) reject(error);
  }

  function startBatches(): void {
    isScheduled = false;
    while (callsByGroup.size > 0 && running < maxConcurrent) {
      running += 1;
      void run(takeBatch()).finally(() => {
        running -= 1;
        startBatches();
      });
    }
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      const group = findGroup(item);
      const calls = callsByGroup.get(group) ?? [];
      callsByGroup.set(group, calls);
      calls.push({ item, resolve, reject });
      if (isScheduled || running >= maxConcurrent) return;
      isScheduled = true;
      setImmediate(startBatches);
    });
}

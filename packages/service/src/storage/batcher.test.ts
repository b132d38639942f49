import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createBatcher } from './batcher.ts';

/** Records the batches. Each one runs until the test ends it. */
function recordBatches() {
  const batches: string[][] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  /** Ends a batch, and waits until the next one has started. */
  async function end(index: number): Promise<void> {
    ends[index]?.resolve();
    await nextTick();
  }
  return {
    batches,
    processBatch: async (items: string[]): Promise<string[]> => {
      const end = Promise.withResolvers<void>();
      batches.push(items);
      ends.push(end);
      await end.promise;
      return items.map((item) => `${item} done`);
    },
    end,
    /** Ends all batches, also those that start when others end. */
    endAll: async () => {
      for (let index = 0; index < ends.length; index += 1) await end(index);
    },
  };
}

/** Returns results immediately. A batch with an item that starts with `bad` fails. */
function failOnInvalidItem() {
  const batches: string[][] = [];
  return {
    batches,
    processBatch: async (items: string[]): Promise<string[]> => {
      batches.push(items);
      const bad = items.find((item) => item.startsWith('bad'));
      if (bad !== undefined) throw new Error(bad);
      return items.map((item) => item.toUpperCase());
    },
  };
}

describe('batches', () => {
  test('calls of one tick share a batch, in order, each with its own result', async () => {
    const { batches, processBatch, endAll } = recordBatches();
    const call = createBatcher({ maxItems: 10 }, processBatch);
    const results = Promise.all([call('a'), call('b'), call('a')]);
    expect(batches).toEqual([]);
    await nextTick();
    await endAll();
    expect(batches).toEqual([['a', 'b', 'a']]);
    expect(await results).toEqual(['a done', 'b done', 'a done']);
  });

  test('groups take turns, and a call that would make a batch too heavy is in the next one', async () => {
    const { batches, processBatch, endAll } = recordBatches();
    // The letter of an item is its group, and the digit its weight.
    const limits = { maxItems: 3, maxWeight: 10, maxConcurrent: 1 };
    const call = createBatcher(
      { ...limits, weigh: (item) => Number(item.slice(1)), findGroup: (item) => item.charAt(0) },
      processBatch,
    );
    const results = Promise.all(['a1', 'a2', 'a3', 'a4', 'b1', 'c9', 'b2'].map(call));
    await nextTick();
    await endAll();
    expect(batches).toEqual([['a1', 'b1'], ['c9'], ['a2', 'b2', 'a3'], ['a4']]);
    expect(await results).toHaveLength(7);
  });

  test('while fewer than maxConcurrent batches run, a call does not wait for calls of earlier ticks', async () => {
    const { batches, processBatch, endAll } = recordBatches();
    const call = createBatcher({ maxItems: 10 }, processBatch);
    const first = call('a');
    await nextTick();
    const second = call('b');
    await nextTick();
    expect(batches).toEqual([['a'], ['b']]);
    await endAll();
    expect(await Promise.all([first, second])).toEqual(['a done', 'b done']);
  });

  test('a batch has at most maxItems items', async () => {
    const { batches, processBatch, endAll } = recordBatches();
    const call = createBatcher({ maxItems: 2, maxConcurrent: 9 }, processBatch);
    const results = Promise.all(['a', 'b', 'c', 'd', 'e'].map(call));
    await nextTick();
    expect(batches).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    await endAll();
    expect(await results).toEqual(['a', 'b', 'c', 'd', 'e'].map((item) => `${item} done`));
  });

  test.each([
    [
      ['1', '2', '3', '4'],
      [['1', '2', '3'], ['4']],
    ],
    [['6'], [['6']]],
    [
      ['7', '1'],
      [['7'], ['1']],
    ],
    [
      ['5', '9', '1', '5'],
      [['5'], ['9'], ['1', '5']],
    ],
  ])(
    'with maxWeight 6, calls with the weights %j form batches of at most this weight; a heavier call has its own batch',
    async (items, expected) => {
      const { batches, processBatch, endAll } = recordBatches();
      const call = createBatcher(
        { maxItems: 10, maxWeight: 6, weigh: Number, maxConcurrent: 9 },
        processBatch,
      );
      const results = Promise.all(items.map(call));
      await nextTick();
      expect(batches).toEqual(expected);
      await endAll();
      expect(await results).toEqual(items.map((item) => `${item} done`));
    },
  );

  test('calls that arrive while maxConcurrent batches run share the next batch', async () => {
    const { batches, processBatch, end, endAll } = recordBatches();
    const call = createBatcher({ maxItems: 10, maxConcurrent: 2 }, processBatch);
    const results: Promise<string>[] = [];
    for (const item of ['a', 'b', 'c', 'd']) {
      results.push(call(item));
      await nextTick();
    }
    expect(batches).toEqual([['a'], ['b']]);
    await end(1);
    expect(batches).toEqual([['a'], ['b'], ['c', 'd']]);
    await endAll();
    expect(await Promise.all(results)).toEqual(['a done', 'b done', 'c done', 'd done']);
  });
});

describe('errors', () => {
  test('if a batch fails, only the calls with invalid items are rejected', async () => {
    const { batches, processBatch } = failOnInvalidItem();
    const call = createBatcher({ maxItems: 10 }, processBatch);
    const results = await Promise.allSettled(['a', 'bad 1', 'b', 'bad 2'].map(call));
    expect(results).toEqual([
      { status: 'fulfilled', value: 'A' },
      { status: 'rejected', reason: new Error('bad 1') },
      { status: 'fulfilled', value: 'B' },
      { status: 'rejected', reason: new Error('bad 2') },
    ]);
    expect(batches).toEqual([['a', 'bad 1', 'b', 'bad 2'], ['a'], ['bad 1'], ['b'], ['bad 2']]);
  });

  test('a call whose result is an error is rejected, and the others in its batch get their results', async () => {
    const call = createBatcher({ maxItems: 10 }, async (items: string[]) =>
      items.map((item) => (item === 'bad' ? new Error('bad') : item.toUpperCase())),
    );
    expect(await Promise.allSettled(['a', 'bad'].map(call))).toEqual([
      { status: 'fulfilled', value: 'A' },
      { status: 'rejected', reason: new Error('bad') },
    ]);
  });

  test('a batch of one invalid item is not retried', async () => {
    const { batches, processBatch } = failOnInvalidItem();
    await expect(createBatcher({ maxItems: 10 }, processBatch)('bad')).rejects.toThrow('bad');
    expect(batches).toEqual([['bad']]);
  });

  test('an error that every item would cause rejects all calls of the batch, and the batch is not retried', async () => {
    const { batches, processBatch } = failOnInvalidItem();
    const isErrorOfAllItems = (error: unknown) => error instanceof Error && error.message === 'bad database';
    const call = createBatcher({ maxItems: 10, isErrorOfAllItems }, processBatch);
    const results = await Promise.allSettled(['a', 'bad database', 'b'].map(call));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(batches).toHaveLength(1);
  });

  test('an error that every item would cause also rejects the calls that wait for the next batch', async () => {
    const { batches, processBatch } = failOnInvalidItem();
    const call = createBatcher(
      { maxItems: 1, maxConcurrent: 1, isErrorOfAllItems: () => true },
      processBatch,
    );
    const results = await Promise.allSettled(['bad database', 'b', 'c'].map(call));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(batches).toHaveLength(1);
    await expect(call('d')).resolves.toBeDefined();
  });

  test('if a retry fails with an error that every item would cause, the remaining and the waiting calls are rejected', async () => {
    const { batches, processBatch } = failOnInvalidItem();
    const isErrorOfAllItems = (error: unknown) => error instanceof Error && error.message === 'bad database';
    const call = createBatcher({ maxItems: 5, maxConcurrent: 1, isErrorOfAllItems }, processBatch);
    const items = ['bad item', 'a', 'bad database', 'b', 'c', 'waiting'];
    const results = await Promise.allSettled(items.map(call));
    expect(results.map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
      'rejected',
    ]);
    expect(batches).toEqual([items.slice(0, 5), ['bad item'], ['a'], ['bad database']]);
  });

  test('if processBatch throws synchronously, the calls of the batch are rejected', async () => {
    const call = createBatcher<string, string>({ maxItems: 10 }, () => {
      throw new Error('synchronous');
    });
    await expect(call('a')).rejects.toThrow('synchronous');
  });

  test('calls still succeed after earlier batches have failed', async () => {
    const { processBatch } = failOnInvalidItem();
    const call = createBatcher({ maxItems: 1, maxConcurrent: 1 }, processBatch);
    const results = await Promise.allSettled(['bad 1', 'bad 2', 'a'].map(call));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(await call('b')).toBe('B');
  });
});

import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createBatcher } from './batcher.ts';

/** Work that notes its sets and ends each one when it is told to. */
function startWork() {
  const sets: string[][] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  return {
    sets,
    work: async (items: string[]): Promise<string[]> => {
      const end = Promise.withResolvers<void>();
      sets.push(items);
      ends.push(end);
      await end.promise;
      return items.map((item) => `${item} done`);
    },
    end: async (index: number) => {
      ends[index]?.resolve();
      await nextTick();
      await nextTick();
    },
    endAll: async () => {
      for (let index = 0; index < ends.length; index += 1) {
        ends[index]?.resolve();
        await nextTick();
        await nextTick();
      }
    },
  };
}

/** Work that is done at once, and fails as a whole where an item is bad. */
function startFailing() {
  const sets: string[][] = [];
  return {
    sets,
    work: async (items: string[]): Promise<string[]> => {
      sets.push(items);
      const bad = items.find((item) => item.startsWith('bad'));
      if (bad !== undefined) throw new Error(bad);
      return items.map((item) => item.toUpperCase());
    },
  };
}

describe('sets', () => {
  test('calls of one tick are one set, in their order, each with its own result', async () => {
    const { sets, work, endAll } = startWork();
    const call = createBatcher({ maxItems: 10 }, work);
    const results = Promise.all([call('a'), call('b'), call('a')]);
    expect(sets).toEqual([]);
    await nextTick();
    await endAll();
    expect(sets).toEqual([['a', 'b', 'a']]);
    expect(await results).toEqual(['a done', 'b done', 'a done']);
  });

  test('calls of different ticks do not wait for each other', async () => {
    const { sets, work, endAll } = startWork();
    const call = createBatcher({ maxItems: 10 }, work);
    const first = call('a');
    await nextTick();
    const second = call('b');
    await nextTick();
    expect(sets).toEqual([['a'], ['b']]);
    await endAll();
    expect(await Promise.all([first, second])).toEqual(['a done', 'b done']);
  });

  test('a set holds up to maxItems', async () => {
    const { sets, work, endAll } = startWork();
    const call = createBatcher({ maxItems: 2, maxConcurrent: 9 }, work);
    const results = Promise.all(['a', 'b', 'c', 'd', 'e'].map(call));
    await nextTick();
    expect(sets).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
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
  ])('a set of %j weighs up to maxWeight, or is one item', async (items, expected) => {
    const { sets, work, endAll } = startWork();
    const call = createBatcher({ maxItems: 10, maxWeight: 6, weigh: Number, maxConcurrent: 9 }, work);
    const results = Promise.all(items.map(call));
    await nextTick();
    expect(sets).toEqual(expected);
    await endAll();
    expect(await results).toEqual(items.map((item) => `${item} done`));
  });

  test('what comes while maxConcurrent are under way goes together when one ends', async () => {
    const { sets, work, end, endAll } = startWork();
    const call = createBatcher({ maxItems: 10, maxConcurrent: 2 }, work);
    const results: Promise<string>[] = [];
    for (const item of ['a', 'b', 'c', 'd']) {
      results.push(call(item));
      await nextTick();
    }
    expect(sets).toEqual([['a'], ['b']]);
    await end(1);
    expect(sets).toEqual([['a'], ['b'], ['c', 'd']]);
    await endAll();
    expect(await Promise.all(results)).toEqual(['a done', 'b done', 'c done', 'd done']);
  });
});

describe('failures', () => {
  test('a bad item fails alone, and the others have their results', async () => {
    const { sets, work } = startFailing();
    const call = createBatcher({ maxItems: 10 }, work);
    const results = await Promise.allSettled(['a', 'bad 1', 'b', 'bad 2'].map(call));
    expect(results).toEqual([
      { status: 'fulfilled', value: 'A' },
      { status: 'rejected', reason: new Error('bad 1') },
      { status: 'fulfilled', value: 'B' },
      { status: 'rejected', reason: new Error('bad 2') },
    ]);
    expect(sets).toEqual([['a', 'bad 1', 'b', 'bad 2'], ['a'], ['bad 1'], ['b'], ['bad 2']]);
  });

  test('a lone bad item is not tried again', async () => {
    const { sets, work } = startFailing();
    await expect(createBatcher({ maxItems: 10 }, work)('bad')).rejects.toThrow('bad');
    expect(sets).toEqual([['bad']]);
  });

  test('a failure that is shared is everybody’s at once', async () => {
    const { sets, work } = startFailing();
    const failsWhole = (error: unknown) => error instanceof Error && error.message === 'bad database';
    const call = createBatcher({ maxItems: 10, failsWhole }, work);
    const results = await Promise.allSettled(['a', 'bad database', 'b'].map(call));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(sets).toHaveLength(1);
  });

  test('a failure that is shared is that of all who wait behind it', async () => {
    const { sets, work } = startFailing();
    const call = createBatcher({ maxItems: 1, maxConcurrent: 1, failsWhole: () => true }, work);
    const results = await Promise.allSettled(['bad database', 'b', 'c'].map(call));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(sets).toHaveLength(1);
    await expect(call('d')).resolves.toBeDefined();
  });

  test('work that throws at once fails its callers', async () => {
    const call = createBatcher<string, string>({ maxItems: 10 }, () => {
      throw new Error('at once');
    });
    await expect(call('a')).rejects.toThrow('at once');
  });

  test('after failures the next calls are served', async () => {
    const { work } = startFailing();
    const call = createBatcher({ maxItems: 1, maxConcurrent: 1 }, work);
    const results = await Promise.allSettled(['bad 1', 'bad 2', 'a'].map(call));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(await call('b')).toBe('B');
  });
});

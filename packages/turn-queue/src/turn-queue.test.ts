import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createTurnQueue, type TurnQueue } from './turn-queue.ts';

function fill(items: Record<string, string[]>): TurnQueue<string> {
  const queue = createTurnQueue<string>();
  for (const [key, names] of Object.entries(items)) for (const name of names) queue.add(key, name);
  return queue;
}

function takeAll(queue: TurnQueue<string>): string[] {
  const taken: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next.item);
  return taken;
}

it('lets keys take turns, and keeps the order of the items of each key', () => {
  const queue = fill({ a: ['a1', 'a2', 'a3', 'a4'], b: ['b1', 'b2'], c: ['c1'] });
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

it('takes an item of a new key after at most one item of a key with many items', () => {
  const queue = fill({ many: Array.from({ length: 50 }, (_, index) => `many ${index}`) });
  for (let turn = 0; turn < 10; turn += 1) queue.take();
  queue.add('new', 'new');
  expect([queue.take()?.item, queue.take()?.item]).toContain('new');
});

it('skips keys, and stops the search', () => {
  const queue = fill({ large: ['10'], small: ['1', '2'], last: ['3'] });
  const upTo = (most: number) => queue.take((_key, item) => (Number(item) > most ? 'skip' : 'take'));
  expect(upTo(5)).toEqual({ key: 'small', item: '1' });
  // The key `small` has had its turn.
  expect(upTo(5)).toEqual({ key: 'last', item: '3' });
  expect(queue.take(() => 'stop')).toBeUndefined();
  expect(takeAll(queue)).toEqual(['10', '2']);
});

it('removes an item of one key, and counts the others', () => {
  const queue = fill({ a: ['shared', 'own'], b: ['shared'] });
  queue.add('a', 'own');
  queue.remove('a', 'shared');
  queue.remove('a', 'unknown');
  expect({ size: queue.size, a: queue.sizeOf('a'), b: queue.sizeOf('b') }).toEqual({ size: 2, a: 1, b: 1 });
  expect([queue.has('a', 'shared'), queue.has('b', 'shared')]).toEqual([false, true]);
  expect(takeAll(queue).sort()).toEqual(['own', 'shared']);
  expect(queue.sizeOf('a')).toBe(0);
});

it('takes every item exactly once, and an item of each key before a second item of any key', () => {
  const added = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat({ max: 99 })));
  fc.assert(
    fc.property(added, (pairs) => {
      const queue = createTurnQueue<string>();
      for (const [key, number] of pairs) queue.add(key, `${key}${number}`);
      const taken = takeAll(queue);
      expect([...taken].sort()).toEqual([...new Set(pairs.map(([key, number]) => key + number))].sort());
      const keys = new Set(pairs.map(([key]) => key));
      for (const key of keys) {
        expect(taken.findIndex((item) => item.startsWith(key))).toBeLessThan(keys.size);
      }
      expect(queue.size).toBe(0);
    }),
  );
});

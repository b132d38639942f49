import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFairQueue, type FairQueue } from './fair-queue.ts';

function takeAll(queue: FairQueue<string>, costOf: (item: string) => number = () => 1): string[] {
  const taken: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    taken.push(next.item);
    queue.charge(next.client, costOf(next.item));
  }
  return taken;
}

function fill(items: Record<string, string[]>): FairQueue<string> {
  const queue = createFairQueue<string>();
  for (const [client, names] of Object.entries(items)) for (const name of names) queue.add(client, name);
  return queue;
}

it('lets clients take turns, and keeps the order of the items of each client', () => {
  const queue = fill({ a: ['a1', 'a2', 'a3', 'a4'], b: ['b1', 'b2'], c: ['c1'] });
  expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

it('takes an item of a new client after at most one item of a client with many items', () => {
  const queue = fill({ many: Array.from({ length: 50 }, (_, index) => `many ${index}`) });
  for (let turn = 0; turn < 10; turn += 1) {
    queue.take();
    queue.charge('many', 1);
  }
  queue.add('new', 'new');
  expect([queue.take()?.item, queue.take()?.item]).toContain('new');
});

it('counts costs, not items', () => {
  const queue = fill({
    expensive: ['expensive 1', 'expensive 2', 'expensive 3'],
    cheap: ['1', '2', '3', '4', '5', '6'],
  });
  expect(takeAll(queue, (item) => (item.startsWith('expensive') ? 3 : 1))).toEqual([
    'expensive 1',
    '1',
    '2',
    '3',
    'expensive 2',
    '4',
    '5',
    '6',
    'expensive 3',
  ]);
});

it('remembers the cost of a client that never has two items at a time', () => {
  const queue = fill({ cheap: ['1', '2', '3', '4', '5', '6', '7', '8'], expensive: ['expensive'] });
  const taken: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) {
    taken.push(next.item);
    queue.charge(next.client, next.client === 'expensive' ? 4 : 1);
    if (next.client === 'expensive') queue.add('expensive', 'expensive');
    if (taken.length === 10) break;
  }
  // An expensive item costs as much as four cheap ones, so about one in five items is expensive.
  expect(taken.filter((item) => item === 'expensive').length).toBeLessThanOrEqual(3);
});

it('takes a shared item only once, as soon as it is the next item of a client whose turn it is', () => {
  const queue = fill({ busy: ['1', '2', '3', 'shared'], other: ['shared', 'last'] });
  expect(takeAll(queue)).toEqual(['1', 'shared', '2', 'last', '3']);
});

it('keeps an item as long as one client has it', () => {
  const queue = fill({ a: ['shared', 'own'], b: ['shared'] });
  queue.remove('a', 'shared');
  queue.remove('a', 'own');
  expect({ size: queue.size, a: queue.sizeOf('a'), b: queue.sizeOf('b') }).toEqual({ size: 1, a: 0, b: 1 });
  expect(queue.take()).toEqual({ client: 'b', item: 'shared' });
  expect(queue.take()).toBeUndefined();
});

it('takes every item exactly once, and an item of each client before a second item of any client', () => {
  const added = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat({ max: 99 })));
  fc.assert(
    fc.property(added, (pairs) => {
      const queue = createFairQueue<string>();
      for (const [client, number] of pairs) queue.add(client, `${client}${number}`);
      const taken = takeAll(queue);
      expect([...taken].sort()).toEqual(
        [...new Set(pairs.map(([client, number]) => client + number))].sort(),
      );
      const clients = new Set(pairs.map(([client]) => client));
      for (const client of clients) {
        expect(taken.findIndex((item) => item.startsWith(client))).toBeLessThan(clients.size);
      }
      expect(queue.size).toBe(0);
    }),
  );
});

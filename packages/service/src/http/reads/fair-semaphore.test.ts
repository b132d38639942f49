import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFairSemaphore, type Permit } from './fair-semaphore.ts';

const LIMITS = { total: 4, perAddress: 3, maxWaiting: 100, waitMs: 60_000 };
const NEVER = new AbortController().signal;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('addresses take turns, however many requests one of them has', async () => {
  const semaphore = createFairSemaphore({ ...LIMITS, total: 1 });
  const permit = await semaphore.acquire('busy', 1, NEVER);
  const order: string[] = [];
  const run = async (address: string) => {
    const own = await semaphore.acquire(address, 1, NEVER);
    order.push(address);
    own.release();
  };
  const all = Promise.all(['busy', 'busy', 'busy', 'other', 'third', 'other'].map(run));
  permit.release();
  await all;
  expect(order).toEqual(['busy', 'other', 'third', 'busy', 'other', 'busy']);
});

test('an address that holds its share does not delay another one', async () => {
  const semaphore = createFairSemaphore(LIMITS);
  const permit = await semaphore.acquire('busy', 3, NEVER);
  const waiting = semaphore.acquire('busy', 1, NEVER);
  await semaphore.acquire('other', 1, NEVER);
  permit.release();
  await waiting;
});

test('a large amount is granted although small ones keep arriving', async () => {
  const semaphore = createFairSemaphore(LIMITS);
  const first = await semaphore.acquire('a', 2, NEVER);
  const large = semaphore.acquire('b', 3, NEVER);
  const small = semaphore.acquire('c', 1, NEVER);
  first.release();
  await large;
  await small;
});

test('the amounts never exceed the limits, and every request is granted in the end', async () => {
  const aRequest = fc.record({
    address: fc.constantFrom('a', 'b', 'c'),
    amount: fc.integer({ max: 9, min: 0 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(aRequest, { maxLength: 30 }),
      fc.infiniteStream(fc.nat()),
      async (requests, random) => {
        const semaphore = createFairSemaphore(LIMITS);
        const held: { address: string; amount: number; permit: Permit }[] = [];
        let granted = 0;
        for (const { address, amount } of requests) {
          void semaphore.acquire(address, amount, NEVER).then((permit) => {
            granted += 1;
            held.push({ address, amount: Math.min(amount, LIMITS.perAddress), permit });
          });
        }
        const sum = (items: typeof held) => items.reduce((total, { amount }) => total + amount, 0);
        while (granted < requests.length || held.length > 0) {
          await nextTurn();
          expect(sum(held)).toBeLessThanOrEqual(LIMITS.total);
          for (const name of ['a', 'b', 'c']) {
            expect(sum(held.filter(({ address }) => address === name))).toBeLessThanOrEqual(
              LIMITS.perAddress,
            );
          }
          expect(held).not.toEqual([]);
          held.splice(random.next().value % held.length, 1)[0]?.permit.release();
        }
      },
    ),
    { numRuns: 50 },
  );
});

describe('a request that waits', () => {
  test('is refused after the longest wait, and the next one is granted', async () => {
    const semaphore = createFairSemaphore({ ...LIMITS, waitMs: 1 });
    await semaphore.acquire('a', 2, NEVER);
    const tooLarge = semaphore.acquire('b', 3, NEVER);
    await expect(tooLarge).rejects.toMatchObject({ errorName: 'Unavailable' });
    await semaphore.acquire('b', 2, NEVER);
  });

  test('is refused at once if too many others of its address wait', async () => {
    const semaphore = createFairSemaphore({ ...LIMITS, maxWaiting: 1 });
    await semaphore.acquire('a', 3, NEVER);
    void semaphore.acquire('a', 1, NEVER);
    await expect(semaphore.acquire('a', 1, NEVER)).rejects.toMatchObject({ errorName: 'Unavailable' });
  });

  test('leaves the queue when its client leaves', async () => {
    const semaphore = createFairSemaphore(LIMITS);
    const permit = await semaphore.acquire('a', 3, NEVER);
    const leaving = new AbortController();
    const left = semaphore.acquire('a', 3, leaving.signal);
    const next = semaphore.acquire('a', 1, NEVER);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    permit.resize(2);
    await next;
  });
});

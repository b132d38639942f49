import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFairSemaphore, type Permit, type SemaphoreLimits } from './fair-semaphore.ts';

const LIMITS = { total: 4, perCaller: 3, maxWaitMs: 60_000 };
const NEVER_ABORTED = new AbortController().signal;
const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

function createSemaphore(limits: Partial<SemaphoreLimits> = {}) {
  const seen = { waiting: 0, refusals: [] as string[] };
  const semaphore = createFairSemaphore({
    ...LIMITS,
    ...limits,
    onWait: (difference) => {
      seen.waiting += difference;
    },
    refuse: ({ limit, hasWaited }) => {
      seen.refusals.push(limit);
      return new Error(hasWaited ? `${limit}, after a wait` : limit);
    },
  });
  return { ...semaphore, seen };
}

test('callers take turns, even if one has more requests than the others', async () => {
  const semaphore = createSemaphore({ total: 1 });
  const permit = await semaphore.acquire('busy', 1, NEVER_ABORTED);
  const order: string[] = [];
  const run = async (caller: string) => {
    const acquired = await semaphore.acquire(caller, 1, NEVER_ABORTED);
    order.push(caller);
    acquired.release();
  };
  const all = Promise.all(['busy', 'busy', 'busy', 'other', 'third', 'other'].map(run));
  permit.release();
  await all;
  expect(order).toEqual(['busy', 'other', 'third', 'busy', 'other', 'busy']);
});

test('a caller that holds its share does not delay another caller', async () => {
  const semaphore = createSemaphore();
  const permit = await semaphore.acquire('busy', 3, NEVER_ABORTED);
  const waiting = semaphore.acquire('busy', 1, NEVER_ABORTED);
  await semaphore.acquire('other', 1, NEVER_ABORTED);
  permit.release();
  await waiting;
});

test('a large amount is granted even if a small amount is requested later', async () => {
  const semaphore = createSemaphore();
  const first = await semaphore.acquire('a', 2, NEVER_ABORTED);
  const large = semaphore.acquire('b', 3, NEVER_ABORTED);
  // Two units are free. If this request got them, the large amount would not be free after the release.
  const small = semaphore.acquire('c', 2, NEVER_ABORTED);
  first.release();
  (await large).release();
  await small;
});

test('the amounts never exceed the limits, and every request is granted in the end', async () => {
  const anyRequest = fc.record({
    caller: fc.constantFrom('a', 'b', 'c'),
    amount: fc.integer({ max: 9, min: 0 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRequest, { maxLength: 30 }),
      fc.infiniteStream(fc.nat()),
      async (requests, random) => {
        const semaphore = createSemaphore();
        const held: { caller: string; amount: number; permit: Permit }[] = [];
        let granted = 0;
        for (const { caller, amount } of requests) {
          void semaphore.acquire(caller, amount, NEVER_ABORTED).then((permit) => {
            granted += 1;
            held.push({ caller, amount: Math.min(amount, LIMITS.perCaller), permit });
          });
        }
        const sum = (items: typeof held) => items.reduce((total, { amount }) => total + amount, 0);
        while (granted < requests.length || held.length > 0) {
          await nextIteration();
          expect(sum(held)).toBeLessThanOrEqual(LIMITS.total);
          for (const name of ['a', 'b', 'c']) {
            expect(sum(held.filter(({ caller }) => caller === name))).toBeLessThanOrEqual(LIMITS.perCaller);
          }
          expect(held).not.toEqual([]);
          held.splice(random.next().value % held.length, 1)[0]?.permit.release();
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('the second release of a permit changes nothing', async () => {
  const semaphore = createSemaphore();
  const [first] = await Promise.all([
    semaphore.acquire('a', 2, NEVER_ABORTED),
    semaphore.acquire('a', 1, NEVER_ABORTED),
  ]);
  first.release();
  first.release();
  expect(semaphore.tryAcquire('a', 3)).toBeInstanceOf(Error);
  expect(semaphore.tryAcquire('a', 2)).not.toBeInstanceOf(Error);
});

test('tryAcquire refuses an amount that is not free, and reports the limit that it exceeds', async () => {
  const semaphore = createSemaphore();
  await semaphore.acquire('a', 3, NEVER_ABORTED);
  expect(semaphore.tryAcquire('a', 1)).toEqual(new Error('caller'));
  expect(semaphore.tryAcquire('b', 2)).toEqual(new Error('total'));
  expect(semaphore.tryAcquire('b', 1)).not.toBeInstanceOf(Error);
  expect(semaphore.seen.refusals).toEqual(['caller', 'total']);
});

test('run holds one unit until its function returns or throws', async () => {
  const semaphore = createSemaphore({ total: 1 });
  const runs = [
    semaphore.run('a', NEVER_ABORTED, async () => 'result'),
    semaphore.run('a', NEVER_ABORTED, () => Promise.reject(new Error('failed'))),
    semaphore.run('b', NEVER_ABORTED, async () => semaphore.tryAcquire('c', 1)),
  ];
  expect(await Promise.allSettled(runs)).toMatchObject([
    { value: 'result' },
    { reason: new Error('failed') },
    { value: new Error('total') },
  ]);
  expect(semaphore.tryAcquire('c', 1)).not.toBeInstanceOf(Error);
});

describe('a request whose amount is not free', () => {
  test('is refused after the longest wait, and the next request is granted', async () => {
    const semaphore = createSemaphore({ maxWaitMs: 1 });
    await semaphore.acquire('a', 2, NEVER_ABORTED);
    const tooLarge = semaphore.acquire('b', 3, NEVER_ABORTED);
    expect(semaphore.seen.waiting).toBe(1);
    await expect(tooLarge).rejects.toThrow('total, after a wait');
    expect(semaphore.seen).toEqual({ waiting: 0, refusals: ['total'] });
    await semaphore.acquire('b', 2, NEVER_ABORTED);
  });

  test('that has waited too long is refused, and `refuse` learns that it has waited', async () => {
    const semaphore = createSemaphore({ maxWaitMs: 1 });
    await semaphore.acquire('a', 3, NEVER_ABORTED);
    await expect(semaphore.acquire('a', 1, NEVER_ABORTED)).rejects.toThrow('caller, after a wait');
    expect(semaphore.seen.refusals).toEqual(['caller']);
  });

  test('is refused at once if 1,000 others of its caller wait', async () => {
    const semaphore = createSemaphore();
    await semaphore.acquire('a', 3, NEVER_ABORTED);
    const controller = new AbortController();
    const waiting = Array.from({ length: 1_000 }, () => semaphore.acquire('a', 1, controller.signal));
    await expect(semaphore.acquire('a', 1, NEVER_ABORTED)).rejects.toThrow(/^caller$/);
    expect(semaphore.seen.waiting).toBe(1_000);
    // Otherwise they are refused after a minute, during another test.
    controller.abort();
    await Promise.allSettled(waiting);
  });

  test('leaves the queue when its signal aborts', async () => {
    const semaphore = createSemaphore();
    const permit = await semaphore.acquire('a', 3, NEVER_ABORTED);
    const controller = new AbortController();
    const aborted = semaphore.acquire('a', 3, controller.signal);
    const next = semaphore.acquire('a', 1, NEVER_ABORTED);
    controller.abort(new Error('disconnected'));
    await expect(aborted).rejects.toThrow('disconnected');
    await expect(semaphore.acquire('b', 1, controller.signal)).rejects.toThrow('disconnected');
    permit.resize(2);
    await next;
    expect(semaphore.seen).toEqual({ waiting: 0, refusals: [] });
  });
});

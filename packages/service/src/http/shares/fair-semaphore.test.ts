import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../domain/refusal.ts';
import { createFairSemaphore, type Permit, type SemaphoreLimits } from './fair-semaphore.ts';

const LIMITS = { total: 4, perCaller: 3, maxWaitMs: 60_000 };
const NEVER = new AbortController().signal;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function open(limits: Partial<SemaphoreLimits> = {}) {
  const seen = { waiting: 0, refusals: [] as string[] };
  const semaphore = createFairSemaphore({
    ...LIMITS,
    ...limits,
    resource: 'memory',
    onWait: (difference) => {
      seen.waiting += difference;
    },
    onRefused: (limit) => seen.refusals.push(limit),
  });
  return { ...semaphore, seen };
}

test('callers take turns, however many requests one of them has', async () => {
  const semaphore = open({ total: 1 });
  const permit = await semaphore.acquire('busy', 1, NEVER);
  const order: string[] = [];
  const run = async (caller: string) => {
    const own = await semaphore.acquire(caller, 1, NEVER);
    order.push(caller);
    own.release();
  };
  const all = Promise.all(['busy', 'busy', 'busy', 'other', 'third', 'other'].map(run));
  permit.release();
  await all;
  expect(order).toEqual(['busy', 'other', 'third', 'busy', 'other', 'busy']);
});

test('a caller that holds its share does not delay another one', async () => {
  const semaphore = open();
  const permit = await semaphore.acquire('busy', 3, NEVER);
  const waiting = semaphore.acquire('busy', 1, NEVER);
  await semaphore.acquire('other', 1, NEVER);
  permit.release();
  await waiting;
});

test('a large amount is granted although small ones keep arriving', async () => {
  const semaphore = open();
  const first = await semaphore.acquire('a', 2, NEVER);
  const large = semaphore.acquire('b', 3, NEVER);
  const small = semaphore.acquire('c', 1, NEVER);
  first.release();
  await large;
  await small;
});

test('the amounts never exceed the limits, and every request is granted in the end', async () => {
  const aRequest = fc.record({
    caller: fc.constantFrom('a', 'b', 'c'),
    amount: fc.integer({ max: 9, min: 0 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(aRequest, { maxLength: 30 }),
      fc.infiniteStream(fc.nat()),
      async (requests, random) => {
        const semaphore = open();
        const held: { caller: string; amount: number; permit: Permit }[] = [];
        let granted = 0;
        for (const { caller, amount } of requests) {
          void semaphore.acquire(caller, amount, NEVER).then((permit) => {
            granted += 1;
            held.push({ caller, amount: Math.min(amount, LIMITS.perCaller), permit });
          });
        }
        const sum = (items: typeof held) => items.reduce((total, { amount }) => total + amount, 0);
        while (granted < requests.length || held.length > 0) {
          await nextTurn();
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

test('a permit can be released twice', async () => {
  const semaphore = open();
  const [first] = await Promise.all([semaphore.acquire('a', 2, NEVER), semaphore.acquire('a', 1, NEVER)]);
  first.release();
  first.release();
  expect(semaphore.tryAcquire('a', 3)).toBeInstanceOf(Refusal);
  expect(semaphore.tryAcquire('a', 2)).not.toBeInstanceOf(Refusal);
});

test('tryAcquire refuses an amount that is not free, and reports the limit that it exceeds', async () => {
  const semaphore = open();
  await semaphore.acquire('a', 3, NEVER);
  expect(semaphore.tryAcquire('a', 1)).toMatchObject({ errorName: 'RateLimited' });
  expect(semaphore.tryAcquire('b', 2)).toMatchObject({ errorName: 'Unavailable' });
  expect(semaphore.tryAcquire('b', 1)).not.toBeInstanceOf(Refusal);
  expect(semaphore.seen.refusals).toEqual(['caller', 'total']);
});

test('run holds one unit until its function returns or throws', async () => {
  const semaphore = open({ total: 1 });
  const runs = [
    semaphore.run('a', NEVER, async () => 'result'),
    semaphore.run('a', NEVER, () => Promise.reject(new Error('failed'))),
    semaphore.run('b', NEVER, async () => semaphore.tryAcquire('c', 1)),
  ];
  expect(await Promise.allSettled(runs)).toMatchObject([
    { value: 'result' },
    { reason: new Error('failed') },
    { value: { errorName: 'Unavailable' } },
  ]);
  expect(semaphore.tryAcquire('c', 1)).not.toBeInstanceOf(Refusal);
});

describe('a request that waits', () => {
  test('is refused after the longest wait, and the next one is granted', async () => {
    const semaphore = open({ maxWaitMs: 1 });
    await semaphore.acquire('a', 2, NEVER);
    const tooLarge = semaphore.acquire('b', 3, NEVER);
    expect(semaphore.seen.waiting).toBe(1);
    await expect(tooLarge).rejects.toMatchObject({ errorName: 'Unavailable' });
    expect(semaphore.seen).toEqual({ waiting: 0, refusals: ['total'] });
    await semaphore.acquire('b', 2, NEVER);
  });

  test('is refused as Unavailable even if its caller uses its whole share, because the database may be slow', async () => {
    const semaphore = open({ maxWaitMs: 1 });
    await semaphore.acquire('a', 3, NEVER);
    await expect(semaphore.acquire('a', 1, NEVER)).rejects.toMatchObject({ errorName: 'Unavailable' });
    expect(semaphore.seen.refusals).toEqual(['caller']);
  });

  test('is refused at once if 1,000 others of its caller wait', async () => {
    const semaphore = open();
    await semaphore.acquire('a', 3, NEVER);
    for (let waiting = 0; waiting < 1_000; waiting += 1) void semaphore.acquire('a', 1, NEVER);
    await expect(semaphore.acquire('a', 1, NEVER)).rejects.toMatchObject({ errorName: 'RateLimited' });
    expect(semaphore.seen.waiting).toBe(1_000);
  });

  test('leaves the queue when its signal aborts', async () => {
    const semaphore = open();
    const permit = await semaphore.acquire('a', 3, NEVER);
    const leaving = new AbortController();
    const left = semaphore.acquire('a', 3, leaving.signal);
    const next = semaphore.acquire('a', 1, NEVER);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await expect(semaphore.acquire('b', 1, leaving.signal)).rejects.toThrow('left');
    permit.resize(2);
    await next;
    expect(semaphore.seen).toEqual({ waiting: 0, refusals: [] });
  });
});

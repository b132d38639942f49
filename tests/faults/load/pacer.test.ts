import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createRequestCounter,
  WINDOW_SECONDS,
} from '../../../packages/service/src/rate-limits/request-counter.ts';
import { createRandom } from '../random.ts';
import { createPacer, type Pacer } from './pacer.ts';

// The service's own counter counts the requests of many users, whose pauses are random, and which it answers
// after random times.

const PER_SECOND = 20;
const RUN_MS = 20_000;
const UNLIMITED: Pacer = { enter: async () => () => undefined };

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

interface Pauses {
  seed: number;
  users: number;
  maxPauseMs: number;
  /** How long a request can wait before it is counted, and before it is answered. */
  maxDelayMs: number;
  /** The service does nothing for this time, then everything at once. */
  stallMs: number;
}

const pauses: fc.Arbitrary<Pauses> = fc.record({
  seed: fc.nat(),
  users: fc.integer({ min: 1, max: 60 }),
  maxPauseMs: fc.constantFrom(0, 20, 300),
  maxDelayMs: fc.constantFrom(0, 5, 200, 4_000),
  stallMs: fc.constantFrom(0, 3_000, 9_000),
});

/** Returns how many requests were counted and how many exceeded the limit. */
async function run(pacer: Pacer, { seed, users, maxPauseMs, maxDelayMs, stallMs }: Pauses) {
  const random = createRandom(seed);
  const beganMs = performance.now();
  const atMs = () => performance.now() - beganMs;
  // The counter's windows begin at multiples of five seconds of this clock.
  vi.setSystemTime(seed % 5_000);
  const counter = createRequestCounter(() => performance.now());
  const results = { counted: 0, exceeded: 0 };
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const waitForService = async () => {
    await pause(random.integer(0, maxDelayMs));
    if (atMs() > 5_000 && atMs() < 5_000 + stallMs) await pause(5_000 + stallMs - atMs());
  };
  async function use(): Promise<void> {
    while (atMs() < RUN_MS) {
      const weight = random.chance(0.2) ? 2 : 1;
      const leave = await pacer.enter('key', PER_SECOND, weight);
      await waitForService();
      const { isExceeded } = counter.count('key', PER_SECOND * WINDOW_SECONDS, weight);
      results.counted += weight;
      if (isExceeded) results.exceeded += 1;
      await waitForService();
      leave();
      await pause(1 + random.integer(0, maxPauseMs));
    }
  }
  const ended = Promise.all(Array.from({ length: users }, use));
  await vi.advanceTimersByTimeAsync(RUN_MS + 60_000);
  await ended;
  return results;
}

test('users that wait for their turns never exceed the limit, whatever their pauses and the service', async () => {
  await fc.assert(
    fc.asyncProperty(pauses, async (drawn) => {
      expect((await run(createPacer(), drawn)).exceeded).toBe(0);
    }),
    // In the example, a window begins just before the end of the stall.
    {
      numRuns: 15,
      examples: [[{ seed: 1_100, users: 60, maxPauseMs: 0, maxDelayMs: 0, stallMs: 9_000 }]],
    },
  );
});

test('without turns they exceed it, and with turns they use most of it', async () => {
  const fast = { seed: 1, users: 10, maxPauseMs: 100, maxDelayMs: 5, stallMs: 0 };
  expect((await run(UNLIMITED, fast)).exceeded).toBeGreaterThan(100);
  const { counted, exceeded } = await run(createPacer(), fast);
  expect(exceeded).toBe(0);
  expect(counted).toBeGreaterThan(0.7 * PER_SECOND * (RUN_MS / 1_000));
});

test('callers have turns of their own, and a caller has its turns in order', async () => {
  const pacer = createPacer();
  const order: string[] = [];
  const enter = async (name: string) => {
    const leave = await pacer.enter(name, 1, 1);
    order.push(name);
    leave();
  };
  const entered = Promise.all(['a', 'a', 'b', 'a'].map(enter));
  await vi.advanceTimersByTimeAsync(0);
  expect(order).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(10_000);
  await entered;
  expect(order).toEqual(['a', 'b', 'a', 'a']);
});

import { describe, expect, test } from 'vitest';
import { createRequestCounter, type RequestCounter, toCountName } from './request-counter.ts';

const WINDOW_START_MS = 1_000_000_000_000;

/**
 * Creates a counter at the start of a window. `advance` moves its clock; `syncTime` sets the time of the
 * database.
 */
function start(windowSeconds = 5) {
  let monotonicMs = 77;
  const counter = createRequestCounter(() => monotonicMs, windowSeconds);
  const syncTime = (nowMs: number) =>
    counter.merge(
      { windowNumber: 0, firstPeriod: 0, requests: new Map() },
      { nowMs, requests: new Map() },
      monotonicMs,
    );
  syncTime(WINDOW_START_MS);
  return { counter, syncTime, advance: (ms: number) => (monotonicMs += ms) };
}

/** Merges the current report with the counts of other processes. */
function merge(counter: RequestCounter, others: Record<string, number>, nowMs = WINDOW_START_MS): void {
  counter.merge(
    counter.report(),
    { nowMs, requests: new Map(Object.entries(others)) },
    counter.monotonicMs(),
  );
}

describe('the request counter', () => {
  test('counts up to the quota, and does not count rejected requests', () => {
    const { counter } = start();
    const remaining = [1, 2, 3, 4].map(() => counter.count('a', 3)).map((count) => count.remaining);
    expect(remaining).toEqual([2, 1, 0, 0]);
    expect(counter.count('a', 3).isExceeded).toBe(true);
    expect(counter.count('b', 3).isExceeded).toBe(false);
    expect(counter.report().requests).toEqual(
      new Map([
        ['a', 3],
        ['b', 1],
      ]),
    );
  });

  test('peek does not count', () => {
    const { counter } = start();
    expect(counter.peek('a', 1)).toEqual({ remaining: 1, isExceeded: false, resetSeconds: 5 });
    counter.count('a', 1);
    expect(counter.peek('a', 1)).toEqual({ remaining: 0, isExceeded: true, resetSeconds: 5 });
  });

  test('starts from zero in each window, and returns the seconds until the next window', () => {
    const { counter, advance } = start();
    counter.count('a', 1);
    const seconds = [0, 1, 1_000, 3_998].map((ms) => {
      advance(ms);
      return counter.count('a', 1).resetSeconds;
    });
    expect(seconds).toEqual([5, 5, 4, 1]);
    advance(1);
    expect(counter.count('a', 1)).toEqual({ remaining: 0, isExceeded: false, resetSeconds: 5 });
    expect(counter.report()).toMatchObject({ windowNumber: 200_000_001, requests: new Map([['a', 1]]) });
  });

  test('adds the counts of other processes', () => {
    const { counter } = start();
    counter.count('a', 5);
    merge(counter, { a: 3 });
    expect(counter.count('a', 5)).toMatchObject({ remaining: 0, isExceeded: false });
    expect(counter.count('a', 5)).toMatchObject({ remaining: 0, isExceeded: true });
  });

  test('reports the totals of the names that were counted since the last merged report', () => {
    const { counter } = start();
    counter.count('a', 9);
    const report = counter.report();
    expect(counter.report()).toEqual(report);
    counter.count('a', 9);
    counter.merge(report, { nowMs: WINDOW_START_MS, requests: new Map() }, counter.monotonicMs());
    expect(counter.report().requests).toEqual(new Map([['a', 2]]));
    merge(counter, {});
    expect(counter.report().requests.size).toBe(0);
  });

  test('ignores counts of another window', () => {
    const { counter, advance } = start();
    counter.count('a', 5);
    const report = counter.report();
    advance(5_000);
    counter.count('a', 5);
    const others = { nowMs: WINDOW_START_MS + 5_000, requests: new Map([['a', 5]]) };
    counter.merge(report, others, counter.monotonicMs());
    expect(counter.peek('a', 5).remaining).toBe(4);
  });

  test('keeps its counts when the clock of the database steps back a little', () => {
    const { counter, syncTime } = start();
    counter.count('a', 1);
    syncTime(WINDOW_START_MS - 20);
    expect(counter.count('a', 1)).toEqual({ remaining: 0, isExceeded: true, resetSeconds: 5 });
  });

  test.each([-7_200_000, 7_200_000])('follows the clock of the database if it differs by %i ms', (ms) => {
    const { counter, syncTime } = start();
    syncTime(WINDOW_START_MS + ms);
    expect(counter.report().windowNumber).toBe((WINDOW_START_MS + ms) / 5_000);
  });

  test('ignores the time of the database if its response was slow', () => {
    const { counter, advance } = start();
    const reportedAtMs = counter.monotonicMs();
    advance(1_001);
    const others = { nowMs: WINDOW_START_MS + 3_600_000, requests: new Map() };
    counter.merge(counter.report(), others, reportedAtMs);
    expect(counter.report().windowNumber).toBe(WINDOW_START_MS / 5_000);
  });
});

test('a count name is short, depends on the policy, and does not contain the identity', () => {
  const names = [
    toCountName('address', '192.0.2.1'),
    toCountName('wrong-key', '192.0.2.1'),
    toCountName('address', 'x'.repeat(10_000)),
  ];
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^[\w-]{22}$/);
});

test('a window of a minute has the numbers of its last five seconds, and keeps its counts until it ends', () => {
  const { counter, advance, syncTime } = start(60);
  // The start of a minute.
  syncTime(WINDOW_START_MS - (WINDOW_START_MS % 60_000));
  counter.count('a', 2);
  const { windowNumber, firstPeriod } = counter.report();
  expect(windowNumber - firstPeriod).toBe(11);
  expect(firstPeriod % 12).toBe(0);
  advance(59_000);
  expect(counter.count('a', 2).resetSeconds).toBe(1);
  expect(counter.peek('a', 2).isExceeded).toBe(true);
  advance(1_000);
  expect(counter.peek('a', 2)).toMatchObject({ isExceeded: false, resetSeconds: 60 });
  expect(counter.report()).toMatchObject({ windowNumber: windowNumber + 12, firstPeriod: firstPeriod + 12 });
});

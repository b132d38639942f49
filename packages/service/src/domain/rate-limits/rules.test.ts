import { describe, expect, test } from 'vitest';
import { createRequestCounter, nameOfCaller, type RequestCounter } from './rules.ts';

const WINDOW_START_MS = 1_000_000_000_000;

/** A counter at a time of the test's own, which the database tells. */
function start() {
  let monotonicMs = 77;
  const counter = createRequestCounter(() => monotonicMs);
  const learnTime = (nowMs: number) =>
    counter.learn({ windowNumber: 0, requests: new Map() }, { nowMs, requests: new Map() }, monotonicMs);
  learnTime(WINDOW_START_MS);
  return { counter, learnTime, pass: (ms: number) => (monotonicMs += ms) };
}

function learn(counter: RequestCounter, others: Record<string, number>, nowMs = WINDOW_START_MS): void {
  counter.learn(counter.news(), { nowMs, requests: new Map(Object.entries(others)) }, counter.clock());
}

describe('a counter', () => {
  test('counts up to the quota, tells what remains, and counts no refusal', () => {
    const { counter } = start();
    const remaining = [1, 2, 3, 4].map(() => counter.count('a', 3)).map((count) => count.remaining);
    expect(remaining).toEqual([2, 1, 0, 0]);
    expect(counter.count('a', 3).isExceeded).toBe(true);
    expect(counter.count('b', 3).isExceeded).toBe(false);
    expect(counter.news().requests).toEqual(
      new Map([
        ['a', 3],
        ['b', 1],
      ]),
    );
  });

  test('looks without counting', () => {
    const { counter } = start();
    expect(counter.look('a', 1)).toEqual({ remaining: 1, isExceeded: false, resetSeconds: 5 });
    counter.count('a', 1);
    expect(counter.look('a', 1)).toEqual({ remaining: 0, isExceeded: true, resetSeconds: 5 });
  });

  test('begins anew with the window, and tells the seconds until then', () => {
    const { counter, pass } = start();
    counter.count('a', 1);
    const seconds = [0, 1, 1_000, 3_998].map((ms) => {
      pass(ms);
      return counter.count('a', 1).resetSeconds;
    });
    expect(seconds).toEqual([5, 5, 4, 1]);
    pass(1);
    expect(counter.count('a', 1)).toEqual({ remaining: 0, isExceeded: false, resetSeconds: 5 });
    expect(counter.news()).toEqual({ windowNumber: 200_000_001, requests: new Map([['a', 1]]) });
  });

  test('adds what the others have counted', () => {
    const { counter } = start();
    counter.count('a', 5);
    learn(counter, { a: 3 });
    expect(counter.count('a', 5)).toMatchObject({ remaining: 0, isExceeded: false });
    expect(counter.count('a', 5)).toMatchObject({ remaining: 0, isExceeded: true });
  });

  test('tells news until they are taken in, and what was counted meanwhile', () => {
    const { counter } = start();
    counter.count('a', 9);
    const news = counter.news();
    expect(counter.news()).toEqual(news);
    counter.count('a', 9);
    counter.learn(news, { nowMs: WINDOW_START_MS, requests: new Map() }, counter.clock());
    expect(counter.news().requests).toEqual(new Map([['a', 2]]));
    learn(counter, {});
    expect(counter.news().requests.size).toBe(0);
  });

  test('does not take in what the others counted of another window', () => {
    const { counter, pass } = start();
    counter.count('a', 5);
    const news = counter.news();
    pass(5_000);
    counter.count('a', 5);
    const reply = { nowMs: WINDOW_START_MS + 5_000, requests: new Map([['a', 5]]) };
    counter.learn(news, reply, counter.clock());
    expect(counter.look('a', 5).remaining).toBe(4);
  });

  test('keeps its counts when it learns that the window begins a little later', () => {
    const { counter, learnTime } = start();
    counter.count('a', 1);
    learnTime(WINDOW_START_MS - 20);
    expect(counter.count('a', 1)).toEqual({ remaining: 0, isExceeded: true, resetSeconds: 5 });
  });

  test.each([-7_200_000, 7_200_000])('follows the database, whose clock is %i ms from its own', (ms) => {
    const { counter, learnTime } = start();
    learnTime(WINDOW_START_MS + ms);
    expect(counter.news().windowNumber).toBe((WINDOW_START_MS + ms) / 5_000);
  });

  test('learns no time from an answer that was long under way', () => {
    const { counter, pass } = start();
    const askedMs = counter.clock();
    pass(1_001);
    const reply = { nowMs: WINDOW_START_MS + 3_600_000, requests: new Map() };
    counter.learn(counter.news(), reply, askedMs);
    expect(counter.news().windowNumber).toBe(WINDOW_START_MS / 5_000);
  });
});

test('a name is short, of its policy, and does not show who it is', () => {
  const names = [
    nameOfCaller('address', '192.0.2.1'),
    nameOfCaller('wrong-key', '192.0.2.1'),
    nameOfCaller('address', 'x'.repeat(10_000)),
  ];
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^[\w-]{22}$/);
});

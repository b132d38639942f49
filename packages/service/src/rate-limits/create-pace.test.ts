import { expect, test } from 'vitest';
import { createPace } from './create-pace.ts';

test('of 30 at once, 20 are accepted, then one each second: 200 people get in within four minutes', () => {
  let nowMs = 1_000_000;
  const pace = createPace({ burst: 20, perSecond: 1 }, () => nowMs);
  const take = (count: number) =>
    Array.from({ length: count }, () => pace.take('a')).filter((one) => one === 0);
  expect(take(30)).toHaveLength(20);
  expect(pace.take('a')).toBe(1);
  nowMs += 1_000;
  expect(take(5)).toHaveLength(1);
  nowMs += 10_000;
  expect(take(30)).toHaveLength(10);
  let used = 31;
  let seconds = 11;
  for (; used < 200; seconds += 1) {
    nowMs += 1_000;
    used += take(9).length;
  }
  expect(seconds).toBeLessThanOrEqual(240);
  // However long nothing happens, no more than the burst is saved.
  nowMs += 3_600_000;
  expect(take(200)).toHaveLength(20);
  expect(pace.take('b')).toBe(0);
});

test('what is given back can happen again at once, and no more than that', () => {
  const pace = createPace({ burst: 2, perSecond: 1 }, () => 0);
  expect(['a', 'a', 'a'].map(pace.take)).toEqual([0, 0, 1]);
  pace.giveBack('a');
  expect(['a', 'a'].map(pace.take)).toEqual([0, 1]);
  pace.giveBack('b');
  expect(['b', 'b', 'b'].map(pace.take)).toEqual([0, 0, 1]);
});

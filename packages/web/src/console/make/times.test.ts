import { expect, test } from 'vitest';
import { fromEnd, fromTimestamp, toEnd, toTimestamp } from './times.ts';

test.each([
  [{ day: '2026-12-01', time: '' }, Date.UTC(2026, 11, 1)],
  [{ day: '2026-12-01', time: '18:30' }, new Date(2026, 11, 1, 18, 30).getTime()],
  [{ day: '', time: '' }, null],
])('%j is the beginning %j, and back', (typed, timestamp) => {
  expect(toTimestamp(typed)).toBe(timestamp);
  expect(fromTimestamp(timestamp)).toEqual(typed);
});

test.each([
  [{ day: '2026-12-31', time: '' }, new Date(2027, 0, 1).getTime()],
  [{ day: '2026-12-31', time: '23:59' }, new Date(2026, 11, 31, 23, 59).getTime()],
  [{ day: '', time: '' }, null],
])('%j is the end %j, and back', (typed, timestamp) => {
  expect(toEnd(typed)).toBe(timestamp);
  expect(fromEnd(timestamp)).toEqual(typed);
});

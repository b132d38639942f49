import { expect, test } from 'vitest';
import { type DateOrder, parseTime } from './parse-time.ts';

const day = Date.UTC(2026, 0, 25);

test.each<[unknown, DateOrder, number]>([
  ['2026-01-25', null, day],
  ['2026/1/25', null, day],
  ['2026-01-25T10:30:00Z', null, day + 37_800_000],
  ['2026-01-25 10:30', null, day + 37_800_000],
  ['2026-01-25T10:30:00.123456+02:00', null, day + 30_600_123],
  ['2026-01-25 10:30:00 UTC', null, day + 37_800_000],
  ['25-Jan-2026', null, day],
  ['25 January 2026', null, day],
  ['January 25, 2026', null, day],
  ['Jan 25th, 2026', null, day],
  ['25.1.2026', null, day],
  ['1.2.2026', null, Date.UTC(2026, 1, 1)],
  ['25/01/2026', null, day],
  ['1/25/2026', null, day],
  ['1/25/2026, 10:30:00 AM', null, day + 37_800_000],
  ['1/25/2026 12:00 am', null, day],
  ['1/25/2026 12:00 pm', null, day + 43_200_000],
  ['5/5/2026', null, Date.UTC(2026, 4, 5)],
  ['1/2/2026', 'dmy', Date.UTC(2026, 1, 1)],
  ['1/2/2026', 'mdy', Date.UTC(2026, 0, 2)],
  ['01-25-2026', 'mdy', day],
  [day, null, day],
  [String(day), null, day],
  [day / 1_000, null, day],
  [String(day / 1_000), null, day],
])('%j (%s) is %i', (text, order, timestamp) => {
  expect(parseTime(text, order)).toEqual({ timestamp });
});

test.each<[unknown, string]>([
  ['1/2/2026', 'two ways'],
  ['1-2-2026', 'two ways'],
  ['31.2.2026', 'does not exist'],
  ['2026-13-01', 'does not exist'],
  ['2026-01-25 25:00', 'does not exist'],
  ['1/25/2026 13:00 PM', 'does not exist'],
  ['1.2.26', 'no date'],
  ['46047', 'a number'],
  ['25 Januar 2026', 'English name'],
  ['25 janvier 2026', 'English name'],
  ['yesterday', 'no date'],
  ['', 'no date'],
  ['1969-12-31', 'before 1970'],
  [null, 'no date'],
  [{}, 'no date'],
  [Number.NaN, 'a number'],
  ['9'.repeat(1_000), 'no date'],
])('%j is a problem', (text, part) => {
  expect(parseTime(text)).toEqual({ problem: expect.stringContaining(part) });
});

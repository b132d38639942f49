import { afterEach, describe, expect, test, vi } from 'vitest';
import { createFormats } from '../../formats.ts';
import { LANGUAGES } from '../../i18n/languages.ts';
import { fromEnd, fromTimestamp, toEnd, toTimestamp } from './typed-times.ts';

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

describe.each([
  'UTC',
  'Europe/Madrid',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Adelaide',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  // Here, clocks are put forward at midnight, so a day begins at 01:00.
  'America/Santiago',
  'Africa/Cairo',
  // Here, they are put back at 01:00, so 00:00 is there twice.
  'America/Havana',
])('in %s', (zone) => {
  afterEach(() => vi.unstubAllEnvs());

  test.each(['2026-12-31', '2028-02-29'])('the end %s is written as this day', (day) => {
    const write = enter(zone);
    expect(write(toEnd({ day, time: '' }) ?? 0)).toBe(writeDay(day));
  });

  test('so is every end of a year, with the days on which clocks change', () => {
    const write = enter(zone);
    for (let at = Date.UTC(2026, 0); at < Date.UTC(2027, 0); at += 86_400_000) {
      const day = new Date(at).toISOString().slice(0, 10);
      const end = toEnd({ day, time: '' });
      expect(fromEnd(end)).toEqual({ day, time: '' });
      expect(write(end ?? 0)).toBe(writeDay(day));
    }
  });

  test('an end at a time has its time, also the last minute of a day', () => {
    const write = enter(zone);
    for (const time of ['23:59', '12:00', '00:01']) {
      const end = toEnd({ day: '2026-12-31', time });
      expect(fromEnd(end)).toEqual({ day: '2026-12-31', time });
      expect(write(end ?? 0)).toMatch(/^Dec 31, 2026, \d/);
    }
  });
});

test.each(Object.keys(LANGUAGES))('an end of a day has no time in %s', (code) => {
  const written = createFormats(code).end(toEnd({ day: '2026-12-31', time: '' }) ?? 0);
  expect(written).toContain('31');
  expect(written).not.toContain(':');
});

const DAY = new Intl.DateTimeFormat('en', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});
const writeDay = (day: string) => DAY.format(Date.parse(day));

/** Returns the function with which the pages of a browser in this time zone write an end. */
function enter(zone: string): (timestamp: number) => string {
  vi.stubEnv('TZ', zone);
  return createFormats('en').end;
}

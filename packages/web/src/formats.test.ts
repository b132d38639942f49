import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFormats } from './formats.ts';
import { findLocale } from './i18n/languages.ts';

const EVENING = Date.UTC(2026, 10, 22, 18);

// Node reads the time zone again when this variable changes.
beforeEach(() => vi.stubEnv('TZ', 'Europe/Madrid'));
afterEach(() => vi.unstubAllEnvs());

/** Intl separates some parts with narrow or thin spaces. */
const replaceNarrowSpaces = (text: string) => text.replaceAll(/[\u202f\u2009]/g, ' ');

test.for([
  ['en', 'Nov 22, 2026, 7:00 PM GMT+1'],
  ['es', '22 nov 2026, 19:00 CET'],
] as const)('a date with a time in %s has the name of the time zone', ([language, text]) => {
  expect(replaceNarrowSpaces(createFormats(language).dateTime(EVENING))).toBe(text);
});

test('a date with a time in Arabic has the name of the time zone', () => {
  expect(createFormats('ar').dateTime(EVENING)).toContain('غرينتش+1');
});

test('a period with times of day has the time zone, and a period of days has none', () => {
  const { period } = createFormats('en');
  expect(replaceNarrowSpaces(period([EVENING, EVENING + 3_600_000]))).toBe(
    'Nov 22, 2026, 7:00 – 8:00 PM GMT+1',
  );
  expect(replaceNarrowSpaces(period([Date.UTC(2026, 4, 4), Date.UTC(2026, 4, 6)]))).toBe('May 4 – 6, 2026');
  expect(period([Date.UTC(2026, 4, 4)])).toBe('May 4, 2026');
});

test('a day and a time are a range, each as it is', () => {
  const text = createFormats('en').period([Date.UTC(2026, 10, 22), EVENING + 86_400_000]);
  expect(replaceNarrowSpaces(text)).toBe('November 22, 2026 – Nov 23, 2026, 7:00 PM GMT+1');
});

test.for([
  ['2026-11-22', 'November 22, 2026'],
  [Date.UTC(2026, 10, 22), 'November 22, 2026'],
  [EVENING, 'Nov 22, 2026, 7:00 PM GMT+1'],
  // Without an offset, it is UTC.
  ['2026-11-22T18:00', 'Nov 22, 2026, 7:00 PM GMT+1'],
  ['2026-11-22T18:00:00+01:00', 'Nov 22, 2026, 6:00 PM GMT+1'],
] as const)('the attribute %j is written as %s', ([value, text]) => {
  expect(replaceNarrowSpaces(createFormats('en').attributeDate(value))).toBe(text);
});

test.for([
  [0, '0 seconds'],
  [1, '1 second'],
  [59_001, '1 minute, 0 seconds'],
  [3_599_000, '59 minutes, 59 seconds'],
  [90_000_000, '1 day, 1 hour'],
  [200 * 86_400_000, '200 days, 0 hours'],
] as const)('a duration of %d ms is written as %s', ([durationMs, text]) => {
  expect(createFormats('en').remaining(durationMs)).toBe(text);
});

test('every date in Arabic has its month in a word, and the digits and the calendar of the pages', () => {
  const { date, dateTime, period } = createFormats('ar');
  const day = '22 نوفمبر 2026';
  expect(date(EVENING)).toBe(day);
  expect(dateTime(EVENING)).toContain(`${day}، 7:00`);
  expect(period([Date.UTC(2026, 10, 22)])).toBe(day);
  // Browsers differ in what they choose for plain `ar`.
  const { calendar, numberingSystem } = new Intl.DateTimeFormat(findLocale('ar')).resolvedOptions();
  expect([findLocale('ar'), calendar, numberingSystem]).toEqual([
    'ar-u-ca-gregory-nu-latn',
    'gregory',
    'latn',
  ]);
});

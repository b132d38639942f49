import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { findLocale } from './i18n/languages.ts';

const DAY_MS = 86_400_000;

// Each with how many of it the next larger unit has.
const UNITS = [
  { unit: 'day', seconds: 86_400, of: Number.POSITIVE_INFINITY },
  { unit: 'hour', seconds: 3_600, of: 24 },
  { unit: 'minute', seconds: 60, of: 60 },
  { unit: 'second', seconds: 1, of: 60 },
] as const;

const SIZE_UNITS = [
  { unit: 'byte', bytes: 1 },
  { unit: 'kilobyte', bytes: 1_000 },
  { unit: 'megabyte', bytes: 1_000_000 },
  { unit: 'gigabyte', bytes: 1_000_000_000 },
] as const;

/**
 * Functions that write dates and times in the language of the page. They take milliseconds since 1970. `date`
 * and `dateTime` also take ISO 8601.
 */
export function useFormats() {
  const { i18n } = useTranslation();
  return useMemo(() => createFormats(i18n.language), [i18n.language]);
}

export function createFormats(language: string) {
  const locale = findLocale(language);
  // The parts are named, because `dateStyle: 'medium'` writes the month as a number in Arabic, and as a word
  // in other forms.
  const day = { year: 'numeric', month: 'short', day: 'numeric' } as const;
  const date = new Intl.DateTimeFormat(locale, day);
  const dateTime = new Intl.DateTimeFormat(locale, {
    ...day,
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  // A timestamp at midnight UTC stands for a day without a time. In a time zone west of UTC, it is still the
  // day before.
  const utcDay = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const size = (unit: string) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'short', maximumSignificantDigits: 3 });
  const isDay = (timestamp: number) => timestamp % DAY_MS === 0;
  const writeTime = (timestamp: number) => (isDay(timestamp) ? utcDay : dateTime).format(timestamp);
  return {
    /** The day, such as "Nov 22, 2026". */
    date: (at: number | string) => date.format(new Date(at)),
    /**
     * The day and the time, in the visitor's time zone and with its name, such as "Nov 22, 2026, 6:00 PM
     * GMT+1".
     */
    dateTime: (at: number | string) => dateTime.format(new Date(at)),
    /**
     * A time at which something ends. The end of a day, in the visitor's time zone, is written as that day.
     */
    end: (timestamp: number) =>
      isStartOfDay(timestamp) ? date.format(timestamp - 1) : dateTime.format(timestamp),
    /**
     * The value of an attribute of the type `date`: milliseconds, a day, or ISO 8601. Without an offset, it
     * is UTC, as in the token's metadata.
     */
    attributeDate: (value: number | string) => {
      if (/^\d{4}-\d{2}-\d{2}$/.test(String(value))) return utcDay.format(Date.parse(`${value}T00:00Z`));
      if (typeof value === 'number') return writeTime(value);
      return dateTime.format(new Date(/T[^Z+-]*$/.test(value) ? `${value}Z` : value));
    },
    /** A duration in its two largest units, such as "2 days, 3 hours" or "5 minutes, 0 seconds". */
    remaining: (durationMs: number) => {
      const seconds = Math.max(0, Math.ceil(durationMs / 1_000));
      const largest = UNITS.findIndex(({ seconds: size }) => seconds >= size);
      const parts = UNITS.slice(largest)
        .slice(0, 2)
        .map(({ unit, seconds: size, of }) =>
          new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(
            Math.floor(seconds / size) % of,
          ),
        );
      return new Intl.ListFormat(locale, { type: 'unit' }).format(parts);
    },
    /** A size in bytes, such as "3.2 MB". */
    size: (bytes: number) => {
      const unit = SIZE_UNITS.findLast(({ bytes: least }) => bytes >= least) ?? SIZE_UNITS[0];
      return size(unit.unit).format(bytes / unit.bytes);
    },
    /** One timestamp, or the range between two. One at midnight UTC is written as a day. */
    period: (timestamps: readonly number[]) => {
      const [start = 0, end = start] = timestamps;
      if (start === end) return writeTime(start);
      if (isDay(start) !== isDay(end)) return `${writeTime(start)} – ${writeTime(end)}`;
      return (isDay(start) ? utcDay : dateTime).formatRange(start, end);
    },
  };
}

/** The name of the browser's time zone, such as `Europe/Madrid`. */
export function readTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * Whether a day begins at this time, in the time zone of the browser. It need not be 00:00: where clocks are
 * put forward at midnight, the day begins at 01:00.
 */
export function isStartOfDay(timestamp: number): boolean {
  return new Date(timestamp).getDate() !== new Date(timestamp - 1).getDate();
}

import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { findLocale } from './i18n/languages.ts';

const DAY_MS = 86_400_000;

/**
 * Functions that write dates and times in the language of the page. They take milliseconds since 1970. `date` and
 * `dateTime` also take ISO 8601.
 */
export function useFormats() {
  const { i18n } = useTranslation();
  return useMemo(() => createFormats(i18n.language), [i18n.language]);
}

export function createFormats(language: string) {
  const locale = findLocale(language);
  // The parts are named, because `dateStyle: 'medium'` writes the month as a number in Arabic, and as a word in other forms.
  const day = { year: 'numeric', month: 'short', day: 'numeric' } as const;
  const date = new Intl.DateTimeFormat(locale, day);
  const dateTime = new Intl.DateTimeFormat(locale, {
    ...day,
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  // A timestamp at midnight UTC stands for a day without a time. In a time zone west of UTC, it is still the day before.
  const utcDay = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  return {
    /** The day, such as "Nov 22, 2026". */
    date: (at: number | string) => date.format(new Date(at)),
    /** The day and the time, in the visitor's time zone and with its name, such as "Nov 22, 2026, 6:00 PM GMT+1". */
    dateTime: (at: number | string) => dateTime.format(new Date(at)),
    /** One timestamp, or the range between two. Written without times if all are at midnight UTC. */
    period: (timestamps: readonly number[]) => {
      const [start = 0, end = start] = timestamps;
      const format = timestamps.every((timestamp) => timestamp % DAY_MS === 0) ? utcDay : dateTime;
      return start === end ? format.format(start) : format.formatRange(start, end);
    },
  };
}

import { LIMITS } from '@badge/protocol';

/** Whether the day or the month is first in dates such as 1/2/2026. Null: nobody has said it. */
export type DateOrder = 'dmy' | 'mdy' | null;

/** A time in milliseconds since 1970, or what is wrong, without the text itself. */
export type ParsedTime = { timestamp: number } | { problem: string };

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const TIME = String.raw`(?:[T,\s]+(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?\s*(?<half>[ap]\.?m\.?)?\s*(?<zone>Z|UTC|GMT|[+-]\d{2}:?(?:\d{2})?)?)?`;
const toPattern = (date: string) => new RegExp(`^${date}${TIME}$`, 'i');
const YEAR_FIRST = toPattern(String.raw`(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})`);
const YEAR_LAST = toPattern(
  String.raw`(?<first>\d{1,2})(?<sign>[-/.])(?<second_>\d{1,2})\k<sign>(?<year>\d{4})`,
);
const DAY_AND_NAME = toPattern(
  String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?[-\s.]+(?<name>[a-z]{3,9})\.?[-\s,]+(?<year>\d{4})`,
);
const NAME_AND_DAY = toPattern(
  String.raw`(?<name>[a-z]{3,9})\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<year>\d{4})`,
);
const MAX_CHARACTERS = 64;
// Seconds since 1970 are in this range from 1973 to 5138; milliseconds are larger.
const MIN_SECONDS = 1e8;
const MIN_MILLISECONDS = 1e11;

/**
 * Parses a date or a time as exports write it. Without a time zone, it is UTC. A date that can be read in
 * two ways is a problem, unless `order` says how.
 */
export function parseTime(value: unknown, order: DateOrder = null): ParsedTime {
  if (typeof value === 'number') return parseNumber(value);
  if (typeof value !== 'string') return { problem: 'is no date' };
  const text = value.trim();
  if (text.length > MAX_CHARACTERS) return { problem: 'is no date' };
  if (/^\d+(\.\d+)?$/.test(text)) return parseNumber(Number(text));
  const groups = [YEAR_FIRST, DAY_AND_NAME, NAME_AND_DAY, YEAR_LAST]
    .map((pattern) => pattern.exec(text)?.groups)
    .find((found) => found !== undefined);
  if (groups === undefined) return { problem: 'is no date that can be read: write it as 2026-12-31' };
  const date = findDate(groups, order);
  return 'problem' in date ? date : toTimestamp(date, groups);
}

function parseNumber(value: number): ParsedTime {
  if (value >= MIN_MILLISECONDS) return checkRange(Math.round(value));
  if (value >= MIN_SECONDS) return checkRange(Math.round(value * 1_000));
  return { problem: 'is a number, and neither milliseconds nor seconds since 1970' };
}

type Groups = Record<string, string | undefined>;
interface CivilDate {
  year: number;
  month: number;
  day: number;
}

function findDate(groups: Groups, order: DateOrder): CivilDate | { problem: string } {
  const year = Number(groups.year);
  if (groups.name !== undefined) {
    const name = groups.name.toLowerCase();
    // Whole names or their first three letters: other languages have other months that begin so.
    const month = MONTHS.findIndex((full) => name === full || name === full.slice(0, 3)) + 1;
    if (month === 0) return { problem: 'has no English name of a month: write it as 2026-12-31' };
    return { year, month, day: Number(groups.day) };
  }
  if (groups.first === undefined) return { year, month: Number(groups.month), day: Number(groups.day) };
  const first = Number(groups.first);
  const second = Number(groups.second_);
  // Where dates have dots, the day is first.
  const isDayFirst =
    groups.sign === '.' || first > 12
      ? true
      : second > 12 || first === second
        ? false
        : order === null
          ? null
          : order === 'dmy';
  if (isDayFirst === null)
    return {
      problem:
        'can be read in two ways: put "dateOrder": "dmy" or "mdy" into the mapping, or write it as 2026-12-31',
    };
  return isDayFirst ? { year, month: second, day: first } : { year, month: first, day: second };
}

function toTimestamp({ year, month, day }: CivilDate, groups: Groups): ParsedTime {
  const hour = toHour(Number(groups.hour ?? 0), groups.half);
  const minute = Number(groups.minute ?? 0);
  const second = Number(groups.second ?? 0);
  const milliseconds = Number((groups.fraction ?? '').padEnd(3, '0').slice(0, 3));
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDate = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isDate || hour > 23 || minute > 59 || second > 60) return { problem: 'is a date that does not exist' };
  const offset = toOffsetMinutes(groups.zone);
  return checkRange(date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1_000 + milliseconds);
}

function toHour(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return Number.POSITIVE_INFINITY;
  return (hour % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0);
}

function toOffsetMinutes(zone: string | undefined): number {
  const [, sign, hours = '', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone ?? '') ?? [];
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function checkRange(timestamp: number): ParsedTime {
  return timestamp >= 0 && timestamp <= LIMITS.timestamp
    ? { timestamp }
    : { problem: 'is before 1970, or too far away' };
}

import { isStartOfDay } from '../../formats.ts';
import type { TypedTime } from './draft.ts';

const DAY_MS = 86_400_000;
const NONE: TypedTime = { day: '', time: '' };

/**
 * A day without a time is at midnight UTC, which the pages show as a day. A time is in the time zone of the
 * browser.
 */
export function toTimestamp({ day, time }: TypedTime): number | null {
  if (day === '') return null;
  return time === '' ? Date.parse(`${day}T00:00Z`) : new Date(`${day}T${time}`).getTime();
}

export function fromTimestamp(timestamp: number | null): TypedTime {
  if (timestamp === null || timestamp === 0) return NONE;
  if (timestamp % DAY_MS === 0) return { day: new Date(timestamp).toISOString().slice(0, 10), time: '' };
  return toLocal(new Date(timestamp));
}

/** The start of a day, or a time of it, in the time zone of the browser. */
export function toStart({ day, time }: TypedTime): number | null {
  return day === '' ? null : new Date(`${day}T${time === '' ? '00:00' : time}`).getTime();
}

export function fromStart(timestamp: number | null): TypedTime {
  if (timestamp === null) return NONE;
  const { day, time } = toLocal(new Date(timestamp));
  return { day, time: isStartOfDay(timestamp) ? '' : time };
}

/**
 * The end of a day, or of a minute, in the time zone of the browser. Without a time, all of the day is meant.
 */
export function toEnd({ day, time }: TypedTime): number | null {
  if (day === '') return null;
  if (time !== '') return new Date(`${day}T${time}`).getTime();
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + 1);
  // The typed day may have begun at 01:00.
  date.setHours(0);
  return date.getTime();
}

export function fromEnd(timestamp: number | null): TypedTime {
  if (timestamp === null || timestamp === 0) return NONE;
  return isStartOfDay(timestamp)
    ? { day: toLocal(new Date(timestamp - 1)).day, time: '' }
    : toLocal(new Date(timestamp));
}

function toLocal(date: Date): TypedTime {
  const two = (number: number) => String(number).padStart(2, '0');
  const year = String(date.getFullYear()).padStart(4, '0');
  return {
    day: `${year}-${two(date.getMonth() + 1)}-${two(date.getDate())}`,
    time: `${two(date.getHours())}:${two(date.getMinutes())}`,
  };
}

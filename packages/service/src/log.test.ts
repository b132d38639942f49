import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limitRepeatedLines } from './log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const lost = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

test('errors of the same kind are logged in one line per second', () => {
  const lines: number[] = [];
  const log = limitRepeatedLines((_error, repeated) => lines.push(repeated));
  for (let i = 0; i < 1_000; i += 1) log(lost());
  expect(lines).toEqual([0]);
  vi.advanceTimersByTime(1_000);
  expect(lines).toEqual([0, 998]);
  vi.advanceTimersByTime(5_000);
  expect(lines).toEqual([0, 998]);
  log(lost());
  expect(lines).toEqual([0, 998, 0]);
});

test('errors of another kind have a line of their own', () => {
  const lines: unknown[] = [];
  const log = limitRepeatedLines((error) => lines.push(error));
  const errors = [lost(), new Error('timeout'), new Error('canceled')];
  for (const error of [...errors, ...errors]) log(error);
  expect(lines).toEqual(errors);
});

test('errors that all differ are limited too', () => {
  const log = vi.fn();
  const logLimited = limitRepeatedLines(log);
  for (let i = 0; i < 1_000; i += 1) logLimited(new Error(`error ${i}`));
  expect(log).toHaveBeenCalledTimes(100);
});

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limitRepeatedLines } from './log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const connectionError = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

test('errors of the same kind are logged at most once a second, with the number of errors that were not logged', () => {
  const lines: number[] = [];
  const log = limitRepeatedLines((_error, repeated) => lines.push(repeated));
  for (let i = 0; i < 1_000; i += 1) log(connectionError());
  expect(lines).toEqual([0]);
  vi.advanceTimersByTime(1_000);
  // Of the other 999 errors, only the latest is logged.
  expect(lines).toEqual([0, 998]);
  vi.advanceTimersByTime(5_000);
  expect(lines).toEqual([0, 998]);
  log(connectionError());
  expect(lines).toEqual([0, 998, 0]);
});

test('errors of another kind are logged separately', () => {
  const lines: unknown[] = [];
  const log = limitRepeatedLines((error) => lines.push(error));
  const errors = [connectionError(), new Error('timeout'), new Error('canceled')];
  for (const error of [...errors, ...errors]) log(error);
  expect(lines).toEqual(errors);
});

test('at most 100 kinds of errors are logged in a second', () => {
  const log = vi.fn();
  const logLimited = limitRepeatedLines(log);
  for (let i = 0; i < 1_000; i += 1) logLimited(new Error(`error ${i}`));
  expect(log).toHaveBeenCalledTimes(100);
});

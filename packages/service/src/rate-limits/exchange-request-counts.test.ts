import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { expect, test, vi } from 'vitest';
import { NAME, start } from '../testing/request-counts.ts';
import { createRequestCounter } from './request-counter.ts';

test('counters whose clocks differ by two hours agree on the time and exchange their counts', async () => {
  const { exchange } = await start();
  const ahead = createRequestCounter();
  const spy = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 7_200_000);
  const behind = createRequestCounter();
  spy.mockRestore();
  expect(ahead.report().windowNumber - behind.report().windowNumber).toBeGreaterThan(1_000);
  await Promise.all([exchange(ahead), exchange(behind)]);
  expect(Math.abs(ahead.report().windowNumber - behind.report().windowNumber)).toBeLessThanOrEqual(1);
  await vi.waitFor(
    () => {
      for (let counted = 0; counted < 50; counted += 1) ahead.count(NAME, 10_000);
      // `behind` counts one request in each attempt, about 20 in a window of 5 seconds. If less than 960
      // remains, it has also counted the requests of `ahead`.
      expect(behind.count(NAME, 1_000).remaining).toBeLessThan(960);
    },
    { ...WAIT_OPTIONS, interval: 250 },
  );
});

test('counts of a minute are kept while those of shorter windows are deleted', async () => {
  const { exchange, countRows } = await start();
  const perMinute = createRequestCounter(undefined, 60);
  const perWindow = createRequestCounter();
  await Promise.all([exchange(perMinute), exchange(perWindow)]);
  const countBoth = async () => {
    perMinute.count(NAME, 1_000);
    perWindow.count('w'.repeat(22), 1_000);
    expect(await countRows()).toBe(2);
  };
  await vi.waitFor(countBoth, WAIT_OPTIONS);
  // The row of the short window is deleted when the window has ended. If the minute ends too, a new count is
  // stored.
  await vi.waitFor(async () => {
    perMinute.count(NAME, 1_000);
    expect(await countRows()).toBe(1);
    expect(perMinute.peek(NAME, 1).isExceeded).toBe(true);
  }, WAIT_OPTIONS);
});

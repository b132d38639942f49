import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDemoDatabase } from '../testing/demo-database.ts';
import { createRequestCounter, type RequestCounter } from './request-counter.ts';
import { shareRequestCounts } from './share-request-counts.ts';

// As long as the names that `toCountName` returns.
const NAME = 'n'.repeat(22);

async function start() {
  const { url, db } = await openDemoDatabase();
  const log = pino({ level: 'silent' });
  const share = async (counter: RequestCounter) => {
    const sharing = await shareRequestCounts({ database: db, log }, counter);
    onTestFinished(sharing.stop);
  };
  onTestFinished(() => db.destroy());
  const countRows = async () => (await query(url, 'select from request_counts')).length;
  return { url, share, countRows };
}

test('counters whose clocks differ by two hours agree on the time and share their counts', async () => {
  const { share } = await start();
  const ahead = createRequestCounter();
  const spy = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 7_200_000);
  const behind = createRequestCounter();
  spy.mockRestore();
  expect(ahead.report().windowNumber - behind.report().windowNumber).toBeGreaterThan(1_000);
  await Promise.all([share(ahead), share(behind)]);
  expect(Math.abs(ahead.report().windowNumber - behind.report().windowNumber)).toBeLessThanOrEqual(1);
  await vi.waitFor(
    () => {
      for (let counted = 0; counted < 50; counted += 1) ahead.count(NAME, 10_000);
      // `behind` counts one request in each attempt, about 20 in a window of 5 seconds. If less than 960 remains, it has
      // also counted the requests of `ahead`.
      expect(behind.count(NAME, 1_000).remaining).toBeLessThan(960);
    },
    { ...WAIT_OPTIONS, interval: 250 },
  );
});

test('rows of earlier windows are deleted, including those of a process that has ended', {
  tags: ['slow'],
}, async () => {
  const { url, share, countRows } = await start();
  await query(url, "insert into request_counts values (1, $1, '00000000-0000-4000-8000-000000000000', 3)", [
    NAME,
  ]);
  const counter = createRequestCounter();
  await share(counter);
  await vi.waitFor(async () => expect(await countRows()).toBe(0), WAIT_OPTIONS);
  const countOne = async () => {
    counter.count(NAME, 1_000);
    expect(await countRows()).toBe(1);
  };
  await vi.waitFor(countOne, WAIT_OPTIONS);
  await vi.waitFor(async () => expect(await countRows()).toBe(0), WAIT_OPTIONS);
});

test('counts of a minute are kept while those of shorter windows are deleted', async () => {
  const { share, countRows } = await start();
  const perMinute = createRequestCounter(undefined, 60);
  const perWindow = createRequestCounter();
  await Promise.all([share(perMinute), share(perWindow)]);
  const countBoth = async () => {
    perMinute.count(NAME, 1_000);
    perWindow.count('w'.repeat(22), 1_000);
    expect(await countRows()).toBe(2);
  };
  await vi.waitFor(countBoth, WAIT_OPTIONS);
  // The row of the short window is deleted when the window has ended. If the minute ends too, a new count is stored.
  await vi.waitFor(async () => {
    perMinute.count(NAME, 1_000);
    expect(await countRows()).toBe(1);
    expect(perMinute.peek(NAME, 1).isExceeded).toBe(true);
  }, WAIT_OPTIONS);
});

import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Context } from '../../context.ts';
import { openDemoDatabase, query } from '../../testing/databases.ts';
import { createRequestCounter, type RequestCounter } from './rules.ts';
import { shareRequestCounts } from './share-request-counts.ts';

const NAME = 'n'.repeat(22);

async function start() {
  const { url, db } = await openDemoDatabase();
  const context = { database: db, log: pino({ level: 'silent' }) } as unknown as Context;
  const share = async (counter: RequestCounter) => {
    const sharing = await shareRequestCounts(context, counter);
    onTestFinished(sharing.stop);
  };
  onTestFinished(() => db.destroy());
  const countRows = async () => (await query(url, 'select from request_counts')).length;
  return { url, share, countRows };
}

test('counters that are two hours apart learn one time, and of each other', async () => {
  const { share } = await start();
  const late = createRequestCounter();
  const spy = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 7_200_000);
  const early = createRequestCounter();
  spy.mockRestore();
  expect(late.news().windowNumber - early.news().windowNumber).toBeGreaterThan(1_000);
  await Promise.all([share(late), share(early)]);
  expect(Math.abs(late.news().windowNumber - early.news().windowNumber)).toBeLessThanOrEqual(1);
  await vi.waitFor(
    () => {
      for (let counted = 0; counted < 50; counted += 1) late.count(NAME, 10_000);
      // By itself it would have counted far fewer in any window.
      expect(early.count(NAME, 1_000).remaining).toBeLessThan(960);
    },
    { timeout: 25_000, interval: 250 },
  );
});

test('rows are gone with their window, those of a process that ended too', async () => {
  const { url, share, countRows } = await start();
  await query(url, "insert into request_counts values (1, $1, '00000000-0000-4000-8000-000000000000', 3)", [
    NAME,
  ]);
  const counter = createRequestCounter();
  await share(counter);
  await vi.waitFor(async () => expect(await countRows()).toBe(0), { timeout: 25_000 });
  const countOne = async () => {
    counter.count(NAME, 1_000);
    expect(await countRows()).toBe(1);
  };
  await vi.waitFor(countOne, { timeout: 25_000 });
  await vi.waitFor(async () => expect(await countRows()).toBe(0), { timeout: 25_000 });
});

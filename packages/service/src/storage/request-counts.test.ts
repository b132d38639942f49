import { randomUUID } from 'node:crypto';
import { query } from '@badge/test-support/sql';
import { expect, onTestFinished, test } from 'vitest';
import { openDemoDatabase } from '../testing/demo-database.ts';
import { deleteOldRequestCounts, exchangeRequestCounts } from './request-counts.ts';

// As long as the names that `toCountName` returns.
const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(22)) as [string, string, string];

async function start() {
  const { url, db } = await openDemoDatabase();
  onTestFinished(() => db.destroy());
  const [first, second] = [randomUUID(), randomUUID()];
  const exchange = async (processId: string, windowNumber: number, requests: Record<string, number>) => {
    const report = { windowNumber, requests: new Map(Object.entries(requests)) };
    return Object.fromEntries((await exchangeRequestCounts(db, processId, report)).requests);
  };
  return { url, db, first, second, exchange };
}

test('each process gets the counts of the others, for the names and the window it reports', async () => {
  const { first, second, exchange } = await start();
  expect(await exchange(first, 7, { [A]: 3, [B]: 1 })).toEqual({});
  expect(await exchange(second, 7, { [A]: 2, [C]: 9 })).toEqual({ [A]: 3 });
  expect(await exchange(randomUUID(), 7, { [A]: 1 })).toEqual({ [A]: 5 });
  expect(await exchange(second, 8, { [A]: 1 })).toEqual({});
});

test('the later total of a process replaces its earlier one', async () => {
  const { first, second, exchange } = await start();
  for (const total of [3, 3, 5]) await exchange(first, 7, { [A]: total });
  expect(await exchange(second, 7, { [A]: 1 })).toEqual({ [A]: 5 });
});

test('all counts are kept if many processes report the same names concurrently, in different orders', async () => {
  const { exchange } = await start();
  const names = Array.from({ length: 200 }, (_, index) => String(index).padStart(22, 'n'));
  const send = (order: string[]) =>
    exchange(randomUUID(), 7, Object.fromEntries(order.map((name) => [name, 1])));
  await Promise.all(
    Array.from({ length: 12 }, (_, index) => send(index % 2 === 0 ? names : [...names].reverse())),
  );
  expect(new Set(Object.values(await send(names)))).toEqual(new Set([12]));
});

test('a report returns the time of the database, even if it is empty', async () => {
  const { url, db } = await start();
  const now = async () => {
    const [row] = await query<{ ms: number }>(
      url,
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    );
    return row?.ms ?? Number.NaN;
  };
  const before = await now();
  const report = { windowNumber: 0, requests: new Map<string, number>() };
  const { nowMs } = await exchangeRequestCounts(db, randomUUID(), report);
  expect(nowMs).toBeGreaterThanOrEqual(Math.floor(before));
  expect(nowMs).toBeLessThanOrEqual(await now());
});

test('deleteOldRequestCounts deletes the counts of all processes in earlier windows', async () => {
  const { url, db, first, second, exchange } = await start();
  await exchange(first, 7, { [A]: 1 });
  await exchange(second, 8, { [A]: 1 });
  await exchange(first, 9, { [A]: 1 });
  await deleteOldRequestCounts(db, 9);
  expect(await query(url, 'select window_number::integer as window from request_counts')).toEqual([
    { window: 9 },
  ]);
});

import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { expect, test, vi } from 'vitest';
import { NAME, start } from '../testing/request-counts.ts';
import { createRequestCounter } from './request-counter.ts';

test('rows of earlier windows are deleted, including those of a process that has ended', async () => {
  const { url, exchange, countRows } = await start();
  await query(url, "insert into request_counts values (1, $1, '00000000-0000-4000-8000-000000000000', 3)", [
    NAME,
  ]);
  const counter = createRequestCounter();
  await exchange(counter);
  await vi.waitFor(async () => expect(await countRows()).toBe(0), WAIT_OPTIONS);
  const countOne = async () => {
    counter.count(NAME, 1_000);
    expect(await countRows()).toBe(1);
  };
  await vi.waitFor(countOne, WAIT_OPTIONS);
  await vi.waitFor(async () => expect(await countRows()).toBe(0), WAIT_OPTIONS);
});

import { createDatabase } from '@badge/test-support/databases';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Context } from '../context.ts';
import { openDatabase } from '../storage/database.ts';
import { createJobs, type Job } from '../storage/jobs.ts';
import { startJobs } from './work-jobs.ts';

async function openQueue() {
  const url = await createDatabase();
  const db = openDatabase({ connectionString: url }, () => undefined);
  onTestFinished(() => db.destroy());
  const jobs = createJobs(db, db);
  const warnings: unknown[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line)) });
  const context = { jobs, log } as unknown as Context;
  return { url, db, jobs, context, warnings };
}

const limits = { queue: 'webhooks', concurrency: 3, perGroup: 2 } as const;

test('at most `concurrency` jobs are active, and at most `perGroup` of a group', async () => {
  const { db, jobs, context } = await openQueue();
  const names = ['a', 'a', 'a', 'b', 'c', 'c'];
  await jobs.add(
    db,
    'webhooks',
    names.map((group) => ({ group, data: {} })),
  );
  const active: Job[] = [];
  const done: string[] = [];
  const ends = new Map<Job, () => void>();
  const work = startJobs(context, {
    ...limits,
    handle: (job) =>
      new Promise((resolve) => {
        active.push(job);
        ends.set(job, () => {
          active.splice(active.indexOf(job), 1);
          done.push(job.group);
          resolve();
        });
      }),
  });
  while (done.length < names.length) {
    const left = Math.min(3, names.length - done.length);
    await vi.waitFor(() => expect(active.length).toBeGreaterThanOrEqual(Math.min(left, 1)), WAIT_OPTIONS);
    if (done.length === 0) await vi.waitFor(() => expect(active).toHaveLength(3), WAIT_OPTIONS);
    expect(active.length).toBeLessThanOrEqual(3);
    for (const group of ['a', 'b', 'c']) {
      expect(active.filter((job) => job.group === group).length).toBeLessThanOrEqual(2);
    }
    const [first] = active;
    if (first !== undefined) ends.get(first)?.();
  }
  expect(done.sort()).toEqual(names);
  await work.stop();
});

test('a job that fails is retried, with a warning', async () => {
  const { url, db, jobs, context, warnings } = await openQueue();
  await jobs.add(db, 'webhooks', [{ group: 'a', data: {} }]);
  let runs = 0;
  const work = startJobs(context, {
    ...limits,
    handle: async () => {
      runs += 1;
      if (runs === 1) throw new Error('broken');
    },
  });
  await vi.waitFor(() => expect(warnings).toHaveLength(1), WAIT_OPTIONS);
  expect(warnings[0]).toMatchObject({ msg: 'a job failed and is retried', err: { message: 'broken' } });
  await vi.waitFor(() => expect(runs).toBe(2), WAIT_OPTIONS);
  await vi.waitFor(async () => expect(await query(url, 'select from pgboss.job')).toEqual([]), WAIT_OPTIONS);
  await work.stop();
});

test('a stop tells the active jobs, waits for them, and takes no others', async () => {
  const { url, db, jobs, context } = await openQueue();
  await jobs.add(db, 'webhooks', [
    { group: 'a', data: { n: 1 } },
    { group: 'a', data: { n: 2 } },
  ]);
  let started = 0;
  const work = startJobs(context, {
    queue: 'webhooks',
    concurrency: 1,
    perGroup: 1,
    handle: async (_, signal) => {
      started += 1;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  });
  await vi.waitFor(() => expect(started).toBe(1), WAIT_OPTIONS);
  await work.stop();
  expect(started).toBe(1);
  expect(await query(url, 'select state from pgboss.job')).toEqual([{ state: 'created' }]);
});

import { createDatabase } from '@badge/test-support/databases';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from './database.ts';
import { createJobs, type Jobs, type NewJob, prepareJobs } from './jobs.ts';

let url: string;
let db: Database;
/** With one connection, so that each statement uses the session of the last one. */
let direct: Database;
let jobs: Jobs;

beforeAll(async () => {
  url = await createDatabase();
  db = openDatabase({ connectionString: url }, () => undefined);
  direct = openDatabase({ connectionString: url }, () => undefined, { connections: 1 });
  jobs = createJobs(db, direct);
});
afterAll(async () => await Promise.all([db.destroy(), direct.destroy()]));
beforeEach(async () => {
  await query(url, 'truncate pgboss.job');
});

const add = (...newJobs: NewJob[]) => jobs.add(db, 'webhooks', newJobs);
const job = (group: string, n: number): NewJob => ({ group, data: { n } });
const take = async ({ limit = 10, perGroup = 10 } = {}) =>
  (await jobs.take('webhooks', { limit, perGroup })).map(
    ({ group, data }) => `${group}${(data as { n: number }).n}`,
  );
const letTimePass = async (seconds: number) => {
  await query(url, 'update pgboss.queue set monitor_on = null, monitor_claim_on = null');
  await query(
    url,
    `update pgboss.job set start_after = start_after - $1 * interval '1 s', heartbeat_on = heartbeat_on - $1 * interval '1 s'`,
    [seconds],
  );
};

test('a job exists if its transaction commits, and is not taken before', async () => {
  await db.transaction().execute(async (tx) => {
    await jobs.add(tx, 'webhooks', [job('a', 1)]);
    expect(await take()).toEqual([]);
  });
  expect(await take()).toEqual(['a1']);
  const rolledBack = db.transaction().execute(async (tx) => {
    await jobs.add(tx, 'webhooks', [job('a', 2)]);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await take()).toEqual([]);
});

test('a job is taken once, from its own queue, and ends with its data removed', async () => {
  await add(job('a', 1));
  expect(await jobs.take('mail', { limit: 10, perGroup: 10 })).toEqual([]);
  const [taken] = await jobs.take('webhooks', { limit: 10, perGroup: 10 });
  expect(taken).toMatchObject({ group: 'a', data: { n: 1 } });
  expect(await take()).toEqual([]);
  await jobs.finish('webhooks', taken?.jobId ?? '');
  expect(await query(url, 'select from pgboss.job')).toEqual([]);
});

test('concurrent calls take different jobs', async () => {
  await add(...Array.from({ length: 60 }, (_, n) => job('a', n)));
  const taken = await Promise.all(Array.from({ length: 6 }, () => take({ limit: 10, perGroup: 100 })));
  expect(new Set(taken.flat()).size).toBe(60);
});

test('a group gets its share, and does not delay another one', async () => {
  await add(...Array.from({ length: 50 }, (_, n) => job('a', n)));
  await add(job('b', 0));
  expect(await take({ perGroup: 4 })).toHaveLength(4);
  // The first call found jobs of `a` only, so it is called again.
  expect(await take({ perGroup: 4 })).toEqual(['b0']);
  expect(await take({ perGroup: 4 })).toEqual([]);
});

test('a later job waits, by the clock of the database', async () => {
  await add({ ...job('a', 1), startAfterSeconds: 60 }, { ...job('a', 2), startAfterSeconds: 0 });
  expect(await take()).toEqual(['a2']);
  await letTimePass(59);
  expect(await take()).toEqual([]);
  await letTimePass(2);
  expect(await take()).toEqual(['a1']);
});

test('a failed job is taken again after a delay', async () => {
  await add(job('a', 1));
  for (let failures = 1; failures <= 5; failures += 1) {
    const [taken] = await jobs.take('webhooks', { limit: 1, perGroup: 1 });
    await jobs.fail('webhooks', taken?.jobId ?? '');
    expect(await take()).toEqual([]);
    await letTimePass(61);
  }
  expect(await take()).toEqual(['a1']);
});

test('a job whose worker sends no heartbeats is taken again; others are not', async () => {
  await add(job('a', 1), job('a', 2));
  const taken = await jobs.take('webhooks', { limit: 2, perGroup: 2 });
  await letTimePass(25);
  await jobs.supervise();
  await letTimePass(10);
  const alive = taken.find(({ data }) => (data as { n: number }).n === 2);
  await jobs.keepAlive('webhooks', [alive?.jobId ?? '']);
  await jobs.supervise();
  await letTimePass(5);
  expect(await take()).toEqual(['a1']);
});

test('a supervision that fails leaves no transaction open', async () => {
  await query(url, 'alter table pgboss.job_common rename to hidden');
  await query(url, 'update pgboss.queue set monitor_on = null, monitor_claim_on = null');
  await expect(jobs.supervise()).rejects.toThrow('job_common');
  await query(url, 'alter table pgboss.hidden rename to job_common');
  await query(url, 'update pgboss.queue set monitor_on = null, monitor_claim_on = null');
  await jobs.supervise();
});

test('preparing the tables again changes nothing, also at the same time', async () => {
  await add(job('a', 1));
  const prepare = () => db.connection().execute(prepareJobs);
  await Promise.all([prepare(), prepare(), prepare()]);
  expect(await take()).toEqual(['a1']);
  const empty = await createDatabase('empty');
  const other = openDatabase({ connectionString: empty }, () => undefined);
  await Promise.all([1, 2].map(() => other.connection().execute(prepareJobs)));
  expect((await query(empty, 'select name from pgboss.queue order by name')).map(({ name }) => name)).toEqual(
    ['mail', 'webhooks'],
  );
  await other.destroy();
});

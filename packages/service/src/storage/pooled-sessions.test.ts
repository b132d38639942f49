import { createDatabase } from '@badge/test-support/databases';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openDatabase } from './database.ts';
import { isDatabaseUnavailable } from './database-errors.ts';
import { POOLED_SETTINGS, queryInCheckedSession } from './pooled-sessions.ts';
import { setPooledSettings } from './pooler.ts';

function open(connection: { connectionString: string; isPooler?: boolean }): Database {
  const db = openDatabase(connection, () => undefined, { connections: 1 });
  onTestFinished(() => db.destroy());
  return db;
}

// A session of a pooler is a session of the server without startup parameters. So these tests need no pooler.
async function openPooled(): Promise<{ url: string; direct: Database; pooled: Database }> {
  const url = await createDatabase('empty');
  await query(url, 'create table written ()');
  const direct = open({ connectionString: url });
  const pooled = open({ connectionString: url, isPooler: true });
  return { url, direct, pooled };
}

const writeAlone = (db: Database) => sql`insert into written default values`.execute(db);
const writeInTransaction = (db: Database) => db.transaction().execute(writeAlone);
const countWritten = async (url: string) => (await query(url, 'select from written')).length;
const readPid = async (db: Database) =>
  (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid;
const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'it did not fail',
    (error) => error,
  );

test.each([
  ['alone', writeAlone],
  ['in a transaction', writeInTransaction],
])('a statement %s is not executed in a session without the settings', async (_title, write) => {
  const { url, direct, pooled } = await openPooled();
  const failure = await errorOf(write(pooled));
  expect(failure).toMatchObject({ code: '57P01' });
  expect(isDatabaseUnavailable(failure)).toBe(true);
  expect(await countWritten(url)).toBe(0);

  await setPooledSettings(direct);
  await vi.waitFor(() => write(pooled), WAIT_OPTIONS);
  expect(await countWritten(url)).toBe(1);
});

test.each(Object.keys(POOLED_SETTINGS))(
  'a session in which a program changed %s is not used again',
  async (name) => {
    const { direct, pooled } = await openPooled();
    await setPooledSettings(direct);
    const changed = await readPid(pooled);
    const other = { synchronous_commit: 'off', default_transaction_isolation: 'serializable' }[name] ?? '0';
    await sql`select set_config(${name}, ${other}, false)`.execute(pooled);
    expect(await errorOf(readPid(pooled))).toMatchObject({ code: '57P01' });
    await vi.waitFor(async () => expect(await readPid(pooled)).not.toBe(changed), WAIT_OPTIONS);
  },
);

test('a statement is not executed in a session of a read-only server', async () => {
  const { url, direct } = await openPooled();
  await setPooledSettings(direct);
  await query(url, `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`);
  // A plain client, because the service's own learns from the server that it is read-only. A pooler hides
  // this.
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  expect(await errorOf(queryInCheckedSession(client, 'select 1', []))).toMatchObject({ code: '57P01' });
});

test('results, errors and transactions are the same as without a pooler', async () => {
  const { url, direct, pooled } = await openPooled();
  await setPooledSettings(direct);
  for (const db of [direct, pooled]) {
    expect((await sql`select ${1}::integer as one, null as nothing`.execute(db)).rows).toEqual([
      { one: 1, nothing: null },
    ]);
    expect((await sql`select 1 where false`.execute(db)).rows).toEqual([]);
    expect((await sql`insert into written default values`.execute(db)).numAffectedRows).toBe(1n);
    expect(await errorOf(sql`select 1 / ${0}::integer`.execute(db))).toMatchObject({ code: '22012' });
    const failed = db.transaction().execute(async (tx) => {
      await writeAlone(tx);
      await sql`select 1 / 0`.execute(tx);
    });
    expect(await errorOf(failed)).toMatchObject({ code: '22012' });
    await writeInTransaction(db);
  }
  expect(await countWritten(url)).toBe(4);
});

test('processes that set the settings at the same time set each of them once', async () => {
  const url = await createDatabase('empty');
  const set = await Promise.all(
    Array.from({ length: 4 }, () => setPooledSettings(open({ connectionString: url }))),
  );
  expect(set.flat().sort()).toEqual(Object.keys(POOLED_SETTINGS).sort());
});

import { createDatabase } from '@badge/test-support/databases';
import { query } from '@badge/test-support/sql';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { checkServer, type Database, openDatabase } from './database.ts';
import { DatabaseReadOnly, isDatabaseUnavailable, UnusableDatabase } from './database-errors.ts';

let url: string;
let db: Database;

beforeAll(async () => {
  url = await createDatabase();
  db = openDatabase({ connectionString: url }, () => undefined);
});
afterAll(async () => await db.destroy());

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => error,
  );
const runWithSetting = (setting: string, text: string) =>
  db.transaction().execute(async (tx) => {
    await sql.raw(`set local ${setting}`).execute(tx);
    await sql.raw(text).execute(tx);
  });

test('a session sets its own durability, isolation, timeouts and JIT, even if the database configures others', async () => {
  const weakUrl = await createDatabase();
  const name = new URL(weakUrl).pathname.slice(1);
  for (const setting of [
    'synchronous_commit = off',
    "default_transaction_isolation = 'serializable'",
    'jit = on',
    'statement_timeout = 0',
    'lock_timeout = 0',
    'idle_in_transaction_session_timeout = 0',
  ]) {
    await query(weakUrl, `alter database ${name} set ${setting}`);
  }
  const opened = openDatabase({ connectionString: weakUrl }, () => undefined);
  const { rows } = await sql`
    select name, setting from pg_settings where name in ('synchronous_commit', 'transaction_isolation',
      'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'jit')`.execute(opened);
  await opened.destroy();
  expect(Object.fromEntries(rows.map((row) => Object.values(row as object)))).toEqual({
    synchronous_commit: 'on',
    transaction_isolation: 'read committed',
    jit: 'off',
    statement_timeout: '15000',
    lock_timeout: '10000',
    idle_in_transaction_session_timeout: '15000',
  });
});

test('the parameters of the URL override neither durability nor timeouts', async () => {
  const weakUrl = new URL(url);
  weakUrl.searchParams.set('options', '-c synchronous_commit=off');
  weakUrl.searchParams.set('statement_timeout', '0');
  const opened = openDatabase({ connectionString: weakUrl.href }, () => undefined);
  const { rows } = await sql`
    select current_setting('synchronous_commit') as commit, current_setting('statement_timeout') as timeout`.execute(
    opened,
  );
  await opened.destroy();
  expect(rows).toEqual([{ commit: 'on', timeout: '15s' }]);
});

test('a read-only server is not used, unless the caller allows it', async () => {
  const readOnly = await createDatabase();
  const name = new URL(readOnly).pathname.slice(1);
  await query(readOnly, `alter database ${name} set default_transaction_read_only = on`);
  const opened = openDatabase({ connectionString: readOnly }, () => undefined);
  const failure = await errorOf(sql`select 1`.execute(opened));
  await opened.destroy();
  expect(failure).toBeInstanceOf(DatabaseReadOnly);
  expect(isDatabaseUnavailable(failure)).toBe(true);
  const inspected = openDatabase({ connectionString: readOnly }, () => undefined, { mayBeReadOnly: true });
  expect((await sql`select 1 as one`.execute(inspected)).rows).toEqual([{ one: 1 }]);
  await inspected.destroy();
});

test('after a statement fails in a read-only transaction, no earlier connection is used again', async () => {
  const opened = openDatabase({ connectionString: url }, () => undefined, { connections: 2 });
  const listPids = async () => {
    const pid = sql<{ pid: number }>`select pg_backend_pid() as pid`;
    const results = await Promise.all([pid.execute(opened), pid.execute(opened)]);
    return results.map(({ rows }) => rows[0]?.pid);
  };
  const before = await listPids();
  const write = opened
    .transaction()
    .setAccessMode('read only')
    .execute((tx) => sql`create table t ()`.execute(tx));
  expect(await errorOf(write)).toMatchObject({ code: '25006' });
  const after = await listPids();
  await opened.destroy();
  expect(before.filter((pid) => after.includes(pid))).toEqual([]);
});

test('a database that is not in UTF-8 is refused', async () => {
  await expect(checkServer(db)).resolves.toBeUndefined();
  const name = `latin_${new URL(url).pathname.slice(1)}`;
  await query(url, `create database ${name} encoding 'LATIN1' locale 'C' template template0`);
  const latin = new URL(url);
  latin.pathname = `/${name}`;
  const opened = openDatabase({ connectionString: latin.href }, () => undefined);
  await expect(checkServer(opened)).rejects.toThrow(UnusableDatabase);
  await opened.destroy();
});

describe('isDatabaseUnavailable', () => {
  test('is true for an unreachable server', async () => {
    for (const unreachable of ['postgres://127.0.0.1:1/badge', 'postgres:///badge?host=/nowhere']) {
      const opened = openDatabase({ connectionString: unreachable }, () => undefined);
      expect(isDatabaseUnavailable(await errorOf(sql`select 1`.execute(opened))), unreachable).toBe(true);
      await opened.destroy();
    }
  });

  test('is true for a closed pool', async () => {
    const closed = openDatabase({ connectionString: url }, () => undefined);
    await sql`select 1`.execute(closed);
    await closed.destroy();
    expect(isDatabaseUnavailable(await errorOf(sql`select 1`.execute(closed)))).toBe(true);
  });

  test('is true for a timeout of a statement or a lock', async () => {
    expect(
      isDatabaseUnavailable(await errorOf(runWithSetting("statement_timeout = '1ms'", 'select pg_sleep(9)'))),
    ).toBe(true);
    const waiting = db.transaction().execute(async (tx) => {
      await sql`lock table tokens`.execute(tx);
      return await errorOf(runWithSetting("lock_timeout = '1ms'", 'lock table tokens'));
    });
    expect(isDatabaseUnavailable(await waiting)).toBe(true);
  });

  test('is true for a read-only server', async () => {
    const failure = await errorOf(runWithSetting('transaction_read_only = on', 'create table t ()'));
    expect(isDatabaseUnavailable(failure)).toBe(true);
  });

  test.each([
    ['a missing table', 'select from nothing'],
    ['a syntax error', 'selekt'],
    ['a value of the wrong type', "select 'x'::integer"],
    ['a violated not-null constraint', 'insert into token_counter (last_token_id) values (null)'],
    ['a violated primary key', 'insert into token_counter (last_token_id) values (1)'],
  ])('is false for %s', async (_title, text) => {
    const failure = await errorOf(sql.raw(text).execute(db));
    expect(failure).toBeInstanceOf(Error);
    expect(isDatabaseUnavailable(failure)).toBe(false);
  });

  test.each([undefined, null, 'timeout', { code: '57P01' }, new Error('ordinary')])(
    'is false for %s',
    (thrown) => {
      expect(isDatabaseUnavailable(thrown)).toBe(false);
    },
  );
});

test('a connection lost during a transaction fails the transaction, not the process', async () => {
  const url = await createDatabase();
  const errors: Error[] = [];
  const db = openDatabase({ connectionString: url }, (error) => errors.push(error));
  const work = db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    await query(url, 'select pg_terminate_backend($1)', [rows[0]?.pid]);
    await vi.waitFor(() => expect(errors).not.toEqual([]), { timeout: 10_000, interval: 20 });
    await sql`select 1`.execute(tx);
  });
  const failure = await work.catch((error: unknown) => error);
  expect(isDatabaseUnavailable(failure)).toBe(true);
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
  await db.destroy();
});

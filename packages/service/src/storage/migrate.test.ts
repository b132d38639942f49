import { createDatabase } from '@badge/test-support/databases';
import { query } from '@badge/test-support/sql';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openDatabase } from './database.ts';
import { UnusableDatabase } from './database-errors.ts';
import { isMigrated, migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations/migrations.ts';

const NAMES = Object.keys(MIGRATIONS);
const opened: Database[] = [];

function open(url: string): Database {
  const db = openDatabase({ connectionString: url }, () => undefined);
  opened.push(db);
  return db;
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((db) => db.destroy()));
});

/** Returns all columns of all tables, as `table.column`. */
async function readColumns(url: string): Promise<string[]> {
  const rows = await query<{ name: string }>(
    url,
    "select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public' order by 1",
  );
  return rows.map(({ name }) => name);
}
const listAdvisoryLocks = (url: string) =>
  query(
    url,
    `select from pg_locks where locktype = 'advisory'
     and database = (select oid from pg_database where datname = current_database())`,
  );

test('an empty database is migrated once', async () => {
  const db = open(await createDatabase('empty'));
  expect(await isMigrated(db)).toBe(false);
  expect(await migrate(db)).toEqual(NAMES);
  expect(await isMigrated(db)).toBe(true);
  expect(await migrate(db)).toEqual([]);
  expect(await isMigrated(db)).toBe(true);
});

test('when several processes migrate concurrently, all succeed and one does the work', async () => {
  const url = await createDatabase('empty');
  const executed = await Promise.all([open(url), open(url), open(url)].map((db) => migrate(db)));
  expect(executed.flat()).toEqual(NAMES);
  expect(await readColumns(url)).toEqual(await readColumns(await createDatabase()));
});

test('a migration releases its lock and resets the timeouts', async () => {
  const url = await createDatabase('empty');
  const db = open(url);
  const readTimeouts = async () =>
    (await sql`select current_setting('lock_timeout'), current_setting('statement_timeout')`.execute(db))
      .rows;
  const before = await readTimeouts();
  await migrate(db);
  expect(await readTimeouts()).toEqual(before);
  expect(await listAdvisoryLocks(url)).toEqual([]);
});

describe('a database of a newer release', () => {
  const addUnknown = "insert into kysely_migration (name, timestamp) values ('9999-from-later', '')";

  test('is refused and left unchanged, and the error names the unknown migrations', async () => {
    const url = await createDatabase();
    await query(url, addUnknown);
    const db = open(url);
    const columns = await readColumns(url);
    await expect(migrate(db)).rejects.toThrow(UnusableDatabase);
    await expect(migrate(db)).rejects.toThrow('9999-from-later');
    expect(await readColumns(url)).toEqual(columns);
    expect(await listAdvisoryLocks(url)).toEqual([]);
  });

  test('is still ready for a process that is already running', async () => {
    const url = await createDatabase();
    await query(url, addUnknown);
    expect(await isMigrated(open(url))).toBe(true);
  });

  test('is refused before any table is created', async () => {
    const url = await createDatabase('empty');
    await query(url, 'create table kysely_migration (name varchar(255) primary key, timestamp varchar(255))');
    await query(url, addUnknown);
    await expect(migrate(open(url))).rejects.toThrow(UnusableDatabase);
    expect(await readColumns(url)).toEqual(['kysely_migration.name', 'kysely_migration.timestamp']);
    expect(await isMigrated(open(url))).toBe(false);
  });
});

test('a database of a version before 1.0.0 is refused and left unchanged, and the error says so', async () => {
  const url = await createDatabase('empty');
  await query(url, 'create table kysely_migration (name varchar(255) primary key, timestamp varchar(255))');
  await query(
    url,
    "insert into kysely_migration (name, timestamp) values ('0001-tokens-and-operations', '')",
  );
  const db = open(url);
  await expect(migrate(db)).rejects.toThrow(UnusableDatabase);
  await expect(migrate(db)).rejects.toThrow('before 1.0.0');
  expect(await readColumns(url)).toEqual(['kysely_migration.name', 'kysely_migration.timestamp']);
});

test('a failed migration leaves the database unchanged, and can be run again', async () => {
  const url = await createDatabase('empty');
  const db = open(url);
  await query(url, 'create table tokens ()');
  await expect(migrate(db)).rejects.toThrow('already exists');
  expect((await readColumns(url)).filter((name) => !name.startsWith('kysely_'))).toEqual([]);
  expect(await isMigrated(db)).toBe(false);
  await query(url, 'drop table tokens');
  expect(await migrate(db)).toEqual(NAMES);
});

test('a migration that deadlocks with another transaction is rolled back and retried', async () => {
  const url = await createDatabase();
  const db = open(url);
  const trial = {
    up: (tx: Database) =>
      sql`alter table operations add column trial integer; alter table tokens add column trial integer`
        .execute(tx)
        .then(() => undefined),
  };
  MIGRATIONS['9000-trial'] = trial;
  onTestFinished(() => {
    delete MIGRATIONS['9000-trial'];
  });
  const other = new pg.Client(url);
  await other.connect();
  // This client waits long before it looks for a deadlock. So PostgreSQL detects the deadlock in the session
  // of the migration, and aborts the migration.
  await other.query("set deadlock_timeout = '1h'");
  await other.query('begin');
  await other.query('lock table tokens in row exclusive mode');
  const migrating = migrate(db);
  await vi.waitFor(async () => {
    const waiting = "select from pg_locks where not granted and relation = 'tokens'::regclass";
    expect(await query(url, waiting)).toHaveLength(1);
  }, 30_000);
  await other.query('select from operations');
  await other.end();
  expect(await migrating).toEqual(['9000-trial']);
});

import { createDatabase } from '@badge/test-support/databases';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from './database.ts';
import { prepared } from './prepared-statements.ts';

async function openOneConnection(options: { isPooler?: boolean } = {}): Promise<Database> {
  const connection = { connectionString: await createDatabase(), ...options };
  // A session of a pooler would need the settings of the role, so it is not checked.
  const db = openDatabase(connection, () => undefined, { connections: 1, mayBeReadOnly: true });
  onTestFinished(() => db.destroy());
  return db;
}

async function listPrepared(db: Database): Promise<string[]> {
  const { rows } = await sql<{ statement: string }>`
    select statement from pg_prepared_statements`.execute(db);
  return rows.map(({ statement }) => statement);
}

const add = (a: number, b: number) => prepared<{ sum: number }>`select ${a}::integer + ${b} as sum`;

test('a statement is prepared once, and returns the result for the values of each execution', async () => {
  const db = await openOneConnection();
  expect((await add(1, 2).execute(db)).rows).toEqual([{ sum: 3 }]);
  expect((await add(3, 4).execute(db)).rows).toEqual([{ sum: 7 }]);
  expect(await listPrepared(db)).toEqual(['select $1::integer + $2 as sum']);
});

test('through a pooler, a statement is executed without a name', async () => {
  const db = await openOneConnection({ isPooler: true });
  expect((await add(1, 2).execute(db)).rows).toEqual([{ sum: 3 }]);
  expect(await listPrepared(db)).toEqual([]);
});

test('a fragment that changes between executions is rejected', async () => {
  const db = await openOneConnection();
  const select = (column: string) => prepared`select 1 as ${sql.ref(column)}`;
  await select('one').execute(db);
  await expect(select('other').execute(db)).rejects.toThrow('is not a constant');
});

test('a fragment with parameters is rejected', async () => {
  const db = await openOneConnection();
  const fragment = sql`${1}::integer`;
  await expect(prepared`select ${fragment}`.execute(db)).rejects.toThrow('has parameters');
});

import { createDatabase } from '@badge/test-support/databases';
import { query } from '@badge/test-support/sql';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { openDatabase } from './database.ts';
import { isDatabaseUnavailable } from './database-errors.ts';

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

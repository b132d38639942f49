import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

// Functions for lists whose cost grows with the offset, or with the number of rows that the filters skip.

const LONG_READ_TIMEOUT_MS = 1_000;
const MAX_QUICK_OFFSET = 1_000;

/** Whether a page is so far from the start of its list that it can take long to read. */
export function isFarFromStart({ offset }: { offset: number }): boolean {
  return offset > MAX_QUICK_OFFSET;
}

/** Runs a read. If it can take long, it fails with a statement timeout after 1 second. */
export async function readWithTimeout<Result>(
  db: Database,
  mayTakeLong: boolean,
  read: (tx: Database) => Promise<Result>,
): Promise<Result> {
  if (!mayTakeLong) return await read(db);
  return await db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = ${sql.lit(LONG_READ_TIMEOUT_MS)}`.execute(tx);
    return await read(tx);
  });
}

/**
 * Returns a value for `limit` or `offset` that PostgreSQL's planner does not know. The planner then assumes
 * that the value is a tenth of the matching rows, and chooses to read the rows in the order of an index. If
 * the planner knew the value, and estimated that only a few rows match, it would choose to read and sort all
 * matching rows.
 */
export function hiddenFromPlanner(rows: number): RawBuilder<number> {
  return sql<number>`(select ${rows}::bigint)`;
}

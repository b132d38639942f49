import { sql } from 'kysely';
import type { Database } from './database.ts';

const GROWING_TABLES = [
  'operations',
  'tokens',
  'token_list_entries',
  'claims',
  'allowlist_entries',
  'recipients',
  'claim_links',
  'idempotency_keys',
  'webhook_deliveries',
];
const SMALL_TABLE_ROWS = 100_000;
// A tenth of PostgreSQL's default, so that an analysis reads a tenth of the sample rows. For tables of 30,000
// to 120,000 rows, an analysis took 31 ms instead of 245 ms, and the estimated number of rows was still
// right. Autovacuum later analyzes the same tables with the default.
const STATISTICS_TARGET = sql.lit(10);

/**
 * Analyzes the tables in `GROWING_TABLES`. All processes then make new plans for their prepared statements. A
 * table whose statistics say that it is large is left out: its plans stay right while it grows, and analyzing
 * it takes longer.
 */
export async function analyzeSmallTables(db: Database): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where oid = any(${GROWING_TABLES}::regclass[]) and reltuples < ${SMALL_TABLE_ROWS}`.execute(db);
  for (const { name } of rows) {
    await db.transaction().execute(async (tx) => {
      await sql`set local default_statistics_target = ${STATISTICS_TARGET}`.execute(tx);
      await sql`analyze ${sql.table(name)}`.execute(tx);
    });
  }
}

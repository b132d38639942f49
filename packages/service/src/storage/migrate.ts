import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Database } from './database.ts';
import { UnusableDatabase } from './database-errors.ts';
import { MIGRATIONS } from './migrations/migrations.ts';

// The key of an advisory lock. It can be any fixed number; this one is "Badg" in ASCII.
const MIGRATION_LOCK = 0x42616467;
// deadlock_detected and lock_not_available.
const LOCK_CONFLICTS = ['40P01', '55P03'];
const MAX_CONFLICT_MS = 60_000;
// The first migration of the versions before 1.0.0.
const FIRST_BEFORE_1_0_0 = '0001-tokens-and-operations';

/**
 * Runs the missing migrations, and returns their names. Processes that migrate at the same time wait for each
 * other.
 */
export async function migrate(db: Database): Promise<string[]> {
  return await db.connection().execute(async (connection) => {
    // While another process is migrating, this one waits up to 60 seconds. Migrations have no statement
    // timeout.
    await sql`set lock_timeout = '60s'; set statement_timeout = '0'`.execute(connection);
    await sql`select pg_advisory_lock(${sql.lit(MIGRATION_LOCK)})`.execute(connection);
    try {
      await sql`set lock_timeout = '2s'`.execute(connection);
      // Kysely's migrator would read the whole catalog to find out that nothing is missing.
      return (await needsMigration(connection)) ? await migrateWithRetries(connection) : [];
    } finally {
      await sql`select pg_advisory_unlock(${sql.lit(MIGRATION_LOCK)})`.execute(connection);
      await sql`reset lock_timeout; reset statement_timeout`.execute(connection);
    }
  });
}

// Other processes use the tables at the same time. While a migration waits for the lock of a table, all later
// statements on this table wait behind it. A migration can also deadlock with another transaction. So the
// lock timeout is short, and the whole migration is retried.
async function migrateWithRetries(db: Database): Promise<string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const deadlineMs = performance.now() + MAX_CONFLICT_MS;
  for (;;) {
    const { error, results } = await migrator.migrateToLatest();
    if (error === undefined) return (results ?? []).map((result) => result.migrationName);
    if (!isLockConflict(error) || performance.now() > deadlineMs) throw error;
    await wait(100 + Math.random() * 400);
  }
}

function isLockConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOCK_CONFLICTS.includes(String(error.code));
}

/** Whether migrations of this release are missing. Rejects if another release has made the database. */
export async function needsMigration(db: Database): Promise<boolean> {
  const executed = await readExecutedMigrations(db);
  checkNotForeign(executed);
  return !Object.keys(MIGRATIONS).every((name) => executed.includes(name));
}

/** Whether the newest migration of this release has run. */
export async function isMigrated(db: Database): Promise<boolean> {
  const newest = Object.keys(MIGRATIONS).at(-1);
  return (await readExecutedMigrations(db)).includes(newest ?? '');
}

// A database that another release has made must not be used by this one.
function checkNotForeign(executed: string[]): void {
  if (executed.includes(FIRST_BEFORE_1_0_0)) {
    throw new UnusableDatabase(
      'The database is of a version before 1.0.0, which cannot be upgraded. Nothing was changed. Use an empty database.',
    );
  }
  const unknown = executed.filter((name) => !(name in MIGRATIONS));
  if (unknown.length > 0) {
    throw new UnusableDatabase(
      `The database is newer than this service: it has the migration ${unknown.join(', ')}. Run the newer release.`,
    );
  }
}

/** The names of the migrations that have run, in order. Empty if none has run. */
export async function readExecutedMigrations(db: Database): Promise<string[]> {
  const { rows: tables } = await sql<{ found: boolean }>`
    select to_regclass('kysely_migration') is not null as found`.execute(db);
  if (tables[0]?.found !== true) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map((row) => row.name);
}

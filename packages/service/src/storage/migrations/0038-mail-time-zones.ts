import { type Kysely, sql } from 'kysely';

// Only adds a column, so processes of the previous release keep working: their mails are in UTC.
export async function up(db: Kysely<unknown>): Promise<void> {
  // In which the mails write times. Null: UTC.
  await sql`alter table invitation_requests add column time_zone text`.execute(db);
}

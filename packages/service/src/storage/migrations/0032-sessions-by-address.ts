import { type Kysely, sql } from 'kysely';

// Adds only an index, so processes of the previous release keep working.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index sessions_by_address on sessions (address, created_at) where ended_at is null`.execute(db);
}

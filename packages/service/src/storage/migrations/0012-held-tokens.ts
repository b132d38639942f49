import { type Kysely, sql } from 'kysely';

// The tokens that an address holds, newest first. The index has no burnt claims, so no read has to skip them. The old
// index is dropped first, because dropping it takes the stronger lock: to take that lock later could cause a deadlock.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index claims_by_address`.execute(db);
  await sql`
    create index claims_held_by_address on claims (address, token_id) where burnt_at is null`.execute(db);
}

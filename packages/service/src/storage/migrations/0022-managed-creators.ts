import { type Kysely, sql } from 'kysely';

// Processes of the previous release do not use the column.
export async function up(db: Kysely<unknown>): Promise<void> {
  // managed_creator: the address of the key that the service keeps for the community. The key itself is in no table.
  await sql`
    alter table communities
      add column managed_creator bytea check (octet_length(managed_creator) = 20)`.execute(db);
}

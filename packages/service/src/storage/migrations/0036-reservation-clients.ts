import { type Kysely, sql } from 'kysely';

// Adds columns. Processes of the previous release keep working: their reservations count for no client, and the invitations
// that they send count as other mails.
export async function up(db: Kysely<unknown>): Promise<void> {
  // client_hash: by which a confirmation counts for the client that sent the code of a room, as in claim_link_clients. Null
  // after the confirmation.
  await sql`
    alter table invitations add column client_hash bytea check (octet_length(client_hash) = 32)`.execute(db);
  // How many of the mails were invitations.
  await sql`alter table mail_counts add column invitations integer not null default 0`.execute(db);
}

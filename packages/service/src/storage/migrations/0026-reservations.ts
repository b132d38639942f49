import { type Kysely, sql } from 'kysely';

// Adds columns and tables. Processes of the previous release know no mails.
export async function up(db: Kysely<unknown>): Promise<void> {
  // kind: `invitation`: an organiser has invited the person. `confirmation`: somebody has entered the address with the code of
  // the link source_link_id, and the mail asks for a confirmation; its code is found by confirmation_hash. `reservation`: the
  // address is confirmed, and the mail has the link that was made for it.
  await sql`
    alter table invitations
      add column kind text not null default 'invitation' check (kind in ('invitation', 'confirmation', 'reservation')),
      add column source_link_id uuid,
      add column confirmation_hash bytea check (octet_length(confirmation_hash) = 32),
      add constraint invitations_kind check (
        (kind = 'invitation' or source_link_id is not null) and (kind <> 'confirmation' or confirmation_hash is not null)
      )`.execute(db);
  await sql`
    create unique index invitations_by_confirmation on invitations (confirmation_hash)
    where confirmation_hash is not null`.execute(db);
  await sql`
    create index invitations_unconfirmed on invitations (created_at) where kind = 'confirmation'`.execute(db);

  await sql`
    create index invitations_by_source on invitations (source_link_id) where kind = 'reservation'`.execute(
    db,
  );

  // The mails to an address that somebody has asked for. email_hash is keyed. The rows are deleted after two days.
  await sql`
    create table requested_mails (
      email_hash bytea not null check (octet_length(email_hash) = 32),
      requested_at timestamptz(3) not null default now()
    )`.execute(db);
  await sql`create index requested_mails_by_address on requested_mails (email_hash, requested_at)`.execute(
    db,
  );
  await sql`create index requested_mails_by_time on requested_mails (requested_at)`.execute(db);

  // How many reservations a client has asked for in an hour. client_hash is keyed.
  await sql`
    create table reservation_clients (
      client_hash bytea not null check (octet_length(client_hash) = 32),
      hour timestamptz(3) not null,
      requests integer not null,
      primary key (client_hash, hour)
    )`.execute(db);
}

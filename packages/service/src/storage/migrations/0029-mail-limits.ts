import { type Kysely, sql } from 'kysely';

// Adds columns that may be null, and a table. Processes of the previous release keep working: they count by address, and
// their invitations have no creator.
export async function up(db: Kysely<unknown>): Promise<void> {
  // mailbox_hash: a keyed hash of the mailbox of the address, which other spellings of it have too. Null in rows of earlier
  // releases, whose email_hash stands for it. created_by, created_by_key: the member, and the API key, that queued the mail.
  await sql`
    alter table invitations
      add column mailbox_hash bytea check (octet_length(mailbox_hash) = 32),
      add column created_by bytea check (octet_length(created_by) = 20),
      add column created_by_key uuid`.execute(db);
  await sql`
    create index invitations_by_mailbox on invitations (mailbox_hash, token_id) where mailbox_hash is not null`.execute(
    db,
  );

  // From now on, email_hash is that of the mailbox. kind: `stranger`: somebody has entered the address; `repeated`: a
  // community sends or invites again.
  await sql`
    alter table requested_mails
      add column kind text not null default 'stranger' check (kind in ('stranger', 'repeated'))`.execute(db);

  // How many mails somebody outside of a community has asked for with the code of a link, and in the community, in an hour.
  await sql`
    create table reservation_counts (
      counted_for text not null,
      hour timestamptz(3) not null,
      requests integer not null,
      primary key (counted_for, hour)
    )`.execute(db);
}

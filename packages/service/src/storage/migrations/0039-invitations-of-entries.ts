import { type Kysely, sql } from 'kysely';

// Adds a column that may be null. Processes of the previous release try the mails without a code again, until one of this
// release sends them.
export async function up(db: Kysely<unknown>): Promise<void> {
  // contributor_key: the allowlist entry of a wallet that the mail is for, as in claims. Such a mail has neither a link nor a
  // code. With the e-mail, it says whose wallet it is; after the e-mail is erased, no more than the allowlist.
  await sql`
    alter table invitations
      add column contributor_key bytea check (octet_length(contributor_key) = 20),
      drop constraint invitations_check1,
      add constraint invitations_queued check (next_attempt_at is null or (
        state = 'queued' and recipient is not null and (code is not null or contributor_key is not null)
      ))`.execute(db);
  await sql`
    create index invitations_by_entry on invitations (token_id, contributor_key)
    where contributor_key is not null`.execute(db);
}

import { type Kysely, sql } from 'kysely';

// A process of the previous release goes on adding webhooks, whose URLs are encrypted by a process of this release. It sends
// nothing to a webhook whose URL is encrypted: its jobs fail, and are repeated.
export async function up(db: Kysely<unknown>): Promise<void> {
  // encrypted_url: replaces url, which is null once a process with the key has encrypted it.
  // created_by: the member with whose session, or with whose key, the webhook was created or got its last secret.
  // maker_left_at: since then, this member is no longer an owner, and nothing is sent.
  await sql`
    alter table webhooks
      alter column url drop not null,
      add column encrypted_url bytea,
      add column created_by bytea check (octet_length(created_by) = 20),
      add column maker_left_at timestamptz(3)`.execute(db);
  await sql`update webhooks set url = null where deleted_at is not null`.execute(db);
}

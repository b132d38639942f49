import { type Kysely, sql } from 'kysely';

// Adds only tables, so processes of the previous release keep working.
export async function up(db: Kysely<unknown>): Promise<void> {
  // What the invitations of one request share. public_url: where the pages are, because a worker may not know it.
  await sql`
    create table invitation_requests (
      invitation_request_id uuid primary key,
      message text,
      public_url text not null
    )`.execute(db);

  // recipient: the address and the name. code: the code of the claim link, until the mail is sent. Both are encrypted with a
  // key outside of the database. email_hash: a keyed hash of the address. recipient and email_hash are erased after erase_at.
  // mail_id: names the mail, also if it is sent again after a crash; another mail has another one.
  // next_attempt_at: null if no mail is to be sent. While a process sends the mail: when another one may take over.
  await sql`
    create table invitations (
      invitation_id uuid primary key,
      sequence bigint generated always as identity,
      invitation_request_id uuid not null references invitation_requests,
      community_id text not null,
      token_id bigint not null,
      recipient bytea,
      email_hash bytea check (octet_length(email_hash) = 32),
      language text not null,
      claim_link_id uuid,
      code bytea,
      mail_id uuid not null,
      state text not null check (state in ('queued', 'sent', 'failed', 'unsubscribed')),
      error text,
      attempts integer not null default 0,
      first_attempt_at timestamptz(3),
      next_attempt_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      sent_at timestamptz(3),
      revoked_at timestamptz(3),
      erase_at timestamptz(3),
      check ((recipient is null) = (email_hash is null)),
      check (next_attempt_at is null or (state = 'queued' and recipient is not null and code is not null))
    )`.execute(db);
  await sql`create index invitations_by_token on invitations (token_id, sequence)`.execute(db);
  await sql`
    create index invitations_by_email on invitations (email_hash, token_id) where email_hash is not null`.execute(
    db,
  );
  await sql`create index invitations_by_link on invitations (claim_link_id)`.execute(db);
  await sql`
    create index invitations_to_send on invitations (community_id, next_attempt_at, sequence)
    where next_attempt_at is not null`.execute(db);
  await sql`create index invitations_to_erase on invitations (erase_at) where recipient is not null`.execute(
    db,
  );

  // Who wants no mails: of this community, or with an empty community_id of none. The rows stay for ever.
  await sql`
    create table mail_unsubscriptions (
      email_hash bytea not null check (octet_length(email_hash) = 32),
      community_id text not null,
      unsubscribed_at timestamptz(3) not null default now(),
      primary key (email_hash, community_id)
    )`.execute(db);

  // next_run_at: when the next job of the community runs; infinity if none is added. failures: how often in a row the mail
  // server could not be used.
  await sql`
    create table mail_queues (
      community_id text primary key,
      next_run_at timestamptz(3) not null default 'infinity',
      failures integer not null default 0
    )`.execute(db);

  // How many mails of each community were given to the mail server in each hour.
  await sql`
    create table mail_counts (
      community_id text not null,
      hour timestamptz(3) not null,
      mails integer not null check (mails >= 0),
      primary key (community_id, hour)
    )`.execute(db);
}

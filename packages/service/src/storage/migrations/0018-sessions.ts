import { type Kysely, sql } from 'kysely';

// Adds only tables, so processes of the previous release keep working.
export async function up(db: Kysely<unknown>): Promise<void> {
  // nonce: of the challenge that was signed. It is unique, so a challenge can be used once, on any process. A session that
  // has ended keeps its row, and so its nonce, until the session would have expired.
  await sql`
    create table sessions (
      session_id uuid primary key,
      token_hash bytea not null unique check (octet_length(token_hash) = 32),
      address bytea not null check (octet_length(address) = 20),
      nonce text not null unique,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null,
      ended_at timestamptz(3)
    )`.execute(db);
  await sql`create index sessions_by_expiry on sessions (expires_at)`.execute(db);

  // The key with which the processes authenticate their challenges. A UUID has 122 random bits.
  await sql`
    create table challenge_key (
      is_only_row boolean primary key default true check (is_only_row),
      key bytea not null check (octet_length(key) = 32)
    )`.execute(db);
  await sql`
    insert into challenge_key (key)
    select decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')`.execute(db);
}

import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table communities (
      community_id text primary key,
      display_id text not null,
      name text not null,
      description text not null,
      logo_url text,
      admin_addresses bytea[] not null default '{}',
      created_at timestamptz(3) not null default now()
    )`.execute(db);

  await sql`
    create table api_keys (
      api_key_id uuid primary key,
      community_id text not null references communities,
      key_hash bytea not null unique check (octet_length(key_hash) = 32),
      prefix text not null,
      name text not null,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3),
      revoked_at timestamptz(3)
    )`.execute(db);

  // This table is the queue. An operation that ends in error loses its request_identity, so that the same
  // request can be sent again.
  await sql`
    create table operations (
      operation_id uuid primary key,
      sequence bigint generated always as identity,
      operation_type text not null,
      status text not null default 'pending' check (status in ('pending', 'processing', 'success', 'error')),
      community_id text not null references communities,
      api_key_id uuid references api_keys,
      request_identity bytea unique check (octet_length(request_identity) = 32),
      request jsonb,
      request_bytes integer not null,
      resource_id bigint,
      tx_hash text,
      error jsonb,
      created_at timestamptz(3) not null default now(),
      completed_at timestamptz(3),
      check ((status in ('success', 'error')) = (completed_at is not null)),
      check ((status = 'success') = (resource_id is not null)),
      check ((status = 'error') = (error is not null))
    )`.execute(db);
  await sql`create index operations_pending on operations (sequence) where status = 'pending'`.execute(db);

  await sql`
    create table tokens (
      token_id bigint primary key check (token_id > 0),
      operation_id uuid not null unique references operations,
      community_id text not null references communities,
      creator bytea not null check (octet_length(creator) = 20),
      headline text not null,
      description text not null,
      start_timestamp bigint,
      end_timestamp bigint,
      links jsonb not null,
      nft_type_id text not null,
      is_signature_required boolean not null,
      is_allowlist_required boolean not null,
      total_claim_count bigint check (total_claim_count > 0),
      remaining_claim_count bigint check (remaining_claim_count between 0 and total_claim_count),
      expiration_timestamp bigint,
      custom_attributes jsonb not null,
      signature bytea not null,
      created_at timestamptz(3) not null,
      check (is_allowlist_required = (total_claim_count is null)),
      check (is_allowlist_required = (remaining_claim_count is null))
    )`.execute(db);

  // One row. Token ids come from it in the transaction that creates the tokens, so they have no gaps.
  await sql`
    create table token_counter (
      is_only_row boolean primary key default true check (is_only_row),
      last_token_id bigint not null
    )`.execute(db);
  await sql`insert into token_counter (last_token_id) values (0)`.execute(db);

  // contributor_key is a 20-byte address, or the 32-byte hash of the identifier in the next column.
  await sql`
    create table allowlist_entries (
      token_id bigint not null references tokens,
      contributor_key bytea not null check (octet_length(contributor_key) in (20, 32)),
      identifier text,
      position integer not null,
      added_at timestamptz(3) not null,
      primary key (token_id, contributor_key),
      check ((identifier is null) = (octet_length(contributor_key) = 20))
    )`.execute(db);
  await sql`
    create index allowlist_entries_by_address on allowlist_entries (contributor_key, token_id desc)
    where octet_length(contributor_key) = 20`.execute(db);
}

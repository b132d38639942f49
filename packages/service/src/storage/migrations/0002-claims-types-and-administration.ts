import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tokens add column is_hidden boolean not null default false`.execute(db);
  // The content type of the NFT type's asset, null for a built-in design; the URLs of the picture depend on it.
  await sql`alter table tokens add column asset_content_type text`.execute(db);
  await sql`create index tokens_hidden on tokens (token_id) where is_hidden`.execute(db);
  await sql`create index tokens_by_community on tokens (community_id, token_id)`.execute(db);

  // Burnt claims stay: their address cannot claim the token again, and the remaining count does not go up.
  // contributor_key is the allowlist entry that the claim used; each entry is used once.
  await sql`
    create table claims (
      token_id bigint not null references tokens,
      address bytea not null check (octet_length(address) = 20),
      contributor_key bytea check (octet_length(contributor_key) in (20, 32)),
      operation_id uuid not null unique references operations,
      claimed_at timestamptz(3) not null,
      burnt_at timestamptz(3),
      burn_operation_id uuid unique references operations,
      primary key (token_id, address),
      foreign key (token_id, contributor_key) references allowlist_entries (token_id, contributor_key),
      check ((burnt_at is null) = (burn_operation_id is null))
    )`.execute(db);
  await sql`
    create unique index claims_by_contributor on claims (token_id, contributor_key)
    where contributor_key is not null`.execute(db);
  await sql`create index claims_by_address on claims (address, token_id desc)`.execute(db);
  await sql`create index claims_by_time on claims (token_id, claimed_at, address) where burnt_at is null`.execute(
    db,
  );

  await sql`create index allowlist_entries_by_position on allowlist_entries (token_id, position)`.execute(db);

  // The content is stored in pieces of piece_bytes, so that a range can be read without the rest.
  await sql`
    create table assets (
      asset_id uuid primary key,
      content_type text not null,
      size_bytes bigint not null check (size_bytes > 0),
      piece_bytes integer not null check (piece_bytes > 0),
      content_hash bytea not null check (octet_length(content_hash) = 32),
      created_at timestamptz(3) not null default now()
    )`.execute(db);
  await sql`
    create table asset_pieces (
      asset_id uuid not null references assets on delete cascade,
      piece integer not null,
      bytes bytea not null,
      primary key (asset_id, piece)
    )`.execute(db);
  await sql`alter table asset_pieces alter column bytes set storage external`.execute(db);

  // A deleted type's row stays: tokens keep their picture, and the id cannot be used again.
  await sql`
    create table nft_types (
      community_id text not null references communities,
      nft_type_id text not null,
      sequence bigint generated always as identity,
      name text not null,
      alias text,
      asset_id uuid not null unique references assets,
      created_at timestamptz(3) not null default now(),
      deleted_at timestamptz(3),
      primary key (community_id, nft_type_id)
    )`.execute(db);
  await sql`
    create index nft_types_by_age on nft_types (community_id, sequence) where deleted_at is null`.execute(db);

  // If status is null, the request is running, or has ended without releasing the key. After locked_until the key can be
  // used again.
  await sql`
    create table idempotency_keys (
      scope bytea primary key check (octet_length(scope) = 32),
      body_hash bytea not null check (octet_length(body_hash) = 32),
      request_id uuid not null,
      status integer,
      headers jsonb,
      body text,
      created_at timestamptz not null default now(),
      locked_until timestamptz not null,
      check (num_nulls(status, headers, body) in (0, 3))
    )`.execute(db);
  await sql`create index idempotency_keys_by_time on idempotency_keys (created_at)`.execute(db);
}

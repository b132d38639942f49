-- The designs of communities, and their uploaded files.

-- The content is stored in pieces of piece_bytes, so that a range can be read without the rest.
create table assets (
  asset_id uuid primary key,
  content_type text not null,
  size_bytes bigint not null check (size_bytes > 0),
  piece_bytes integer not null check (piece_bytes > 0),
  content_hash bytea not null check (octet_length(content_hash) = 32),
  created_at timestamptz(3) not null default now()
);

-- A vacuum is due when about 20 MB are dead, however much is stored. A piece has up to 256 KiB. Its content
-- is in the TOAST table, in rows of about 2 KB.
create table asset_pieces (
  asset_id uuid not null references assets on delete cascade,
  piece integer not null,
  bytes bytea not null,
  primary key (asset_id, piece)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 80,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 10000
);
alter table asset_pieces alter column bytes set storage external;

-- The row of a deleted type stays: tokens keep their picture, and the id cannot be used again. Its asset is
-- deleted once nothing uses it.
create table nft_types (
  community_id text not null references communities,
  nft_type_id text not null,
  sequence bigint generated always as identity,
  name text not null,
  alias text,
  asset_id uuid unique references assets,
  created_at timestamptz(3) not null default now(),
  deleted_at timestamptz(3),
  -- The type is deleted, but a token shows its asset, so the asset stays for ever.
  is_asset_kept boolean not null default false,
  -- The size of an asset that was removed, and when. PostgreSQL can use its disk space again only after a
  -- vacuum, so there is also a limit for the assets that were removed in the last minutes.
  removed_bytes bigint,
  removed_at timestamptz(3),
  primary key (community_id, nft_type_id),
  constraint nft_types_asset_of_undeleted
    check (asset_id is not null or (deleted_at is not null and not is_asset_kept))
);
create index nft_types_by_age on nft_types (community_id, sequence) where deleted_at is null;
create index nft_types_to_collect on nft_types (sequence)
where deleted_at is not null and asset_id is not null and not is_asset_kept;
create index nft_types_with_asset on nft_types (community_id) where asset_id is not null;
create index nft_types_removed on nft_types (community_id, removed_at) where removed_at is not null;

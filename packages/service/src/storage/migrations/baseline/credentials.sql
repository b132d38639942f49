-- Signed credentials, and the lists that say whether they are revoked.

-- The public keys with which the service signs credentials for a community. The highest generation is the
-- current one. The private keys follow from a seed, and are in no table.
create table issuer_keys (
  community_id text not null references communities,
  generation integer not null check (generation > 0),
  public_key bytea not null check (octet_length(public_key) = 32),
  created_at timestamptz(3) not null default now(),
  -- When the operator said that the seed of the key was lost or known to others. The service does not list
  -- such a key any more.
  replaced_at timestamptz(3),
  primary key (community_id, generation)
);

-- Each has 131,072 entries, of which credentials use up to half. A list is signed with the same key as its
-- credentials.
create table status_lists (
  list_id uuid primary key default gen_random_uuid(),
  community_id text not null,
  generation integer not null,
  -- The URL without the id of the list, as credentials contain it. It never changes.
  base_url text not null,
  entry_count integer not null default 0,
  created_at timestamptz(3) not null default now(),
  foreign key (community_id, generation) references issuer_keys
);
create index status_lists_by_key on status_lists (community_id, generation, base_url, created_at);

-- The credentials that have ever been made. A badge that is reinstated gets a new one, at another index, and
-- so does one whose end has changed. The one with the former end stays, unless the new end is earlier.
create table credentials (
  credential_id uuid primary key default gen_random_uuid(),
  token_id bigint not null,
  address bytea not null check (octet_length(address) = 20),
  list_id uuid not null references status_lists,
  status_index integer not null check (status_index between 0 and 131071),
  created_at timestamptz(3) not null default now(),
  revoked_at timestamptz(3),
  -- The end of the badge, as the credential says it. Null: it says none.
  valid_until timestamptz(3),
  constraint credentials_by_index unique (list_id, status_index)
);
create unique index credentials_valid on credentials (token_id, address, coalesce(valid_until, 'infinity'))
where revoked_at is null;
create index credentials_revoked on credentials (list_id, revoked_at) include (status_index)
where revoked_at is not null;

-- A guard: burns, revocations and moves end a claim, and whatever ends one must not leave a valid credential.
create function revoke_credential() returns trigger language plpgsql as $$
begin
  update credentials set revoked_at = statement_timestamp()
  where token_id = old.token_id and address = old.address and revoked_at is null;
  return null;
end $$;
create trigger claims_revoke_credential after update of burnt_at on claims for each row
when (old.burnt_at is null and new.burnt_at is not null)
execute function revoke_credential();

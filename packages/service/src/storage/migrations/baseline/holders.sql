-- What the service keeps for people who are known by their e-mail only. Each is named by the keyed hash of
-- the e-mail, whose key is outside of the database.

-- The addresses at which people own badges, one for each community. They follow from a seed, which is in no
-- table, and nobody has a key of them.
create table kept_addresses (
  address bytea primary key check (octet_length(address) = 20),
  community_id text not null references communities,
  email_hash bytea not null check (octet_length(email_hash) = 32),
  created_at timestamptz(3) not null default now()
);
create unique index kept_addresses_by_email on kept_addresses (email_hash, community_id);

-- What a person who has proven an e-mail has chosen. Somebody without a row has chosen nothing.
create table holders (
  email_hash bytea primary key check (octet_length(email_hash) = 32),
  -- The nonce of the next consent to move badges to a wallet.
  move_nonce bigint not null default 0 check (move_nonce >= 0),
  -- The wallet that gets later badges. Null: they stay at the kept addresses.
  default_address bytea check (octet_length(default_address) = 20)
);
create index holders_by_default_address on holders (default_address) where default_address is not null;

-- The communities from which somebody takes no badge that others give. The address is a wallet, or the kept
-- one of the community.
create table refused_communities (
  address bytea not null check (octet_length(address) = 20),
  community_id text not null references communities,
  primary key (address, community_id)
);

-- Who uses the service: communities, their members and keys, and the sessions of people who have signed in.

create table communities (
  community_id text primary key,
  display_id text not null,
  name text not null,
  description text not null,
  logo_url text,
  -- The owners, in the order in which the community names them.
  admin_addresses bytea[] not null default '{}',
  created_at timestamptz(3) not null default now(),
  -- The number of links that the community has ever created. They count in its storage quota.
  claim_link_count bigint not null default 0,
  -- The address of the key that the service keeps for the community. The key itself is in no table.
  managed_creator bytea check (octet_length(managed_creator) = 20),
  -- The chain of the community's contract wallets. Null: the chain of the signing domain.
  contract_wallet_chain_id bigint check (contract_wallet_chain_id > 0),
  -- So many days after an invitation, and before the end of a badge, people are reminded.
  remind_unclaimed_after integer[] not null default '{}',
  remind_before_expiry integer[] not null default '{}'
);

create table members (
  community_id text not null references communities,
  address bytea not null check (octet_length(address) = 20),
  role text not null check (role in ('viewer', 'issuer', 'editor', 'owner')),
  sequence bigint generated always as identity,
  added_at timestamptz(3) not null default now(),
  primary key (community_id, address)
);
create unique index members_in_order on members (community_id, sequence);
create index members_by_address on members (address, community_id);

-- Creating a community, changing it, setting a member and removing one write `admin_addresses`. Each would
-- repeat this.
create function follow_admin_addresses() returns trigger language plpgsql as $$
begin
  delete from members
  where community_id = new.community_id and role = 'owner' and not address = any(new.admin_addresses);
  insert into members (community_id, address, role)
  select new.community_id, listed.address, 'owner'
  from unnest(new.admin_addresses) with ordinality as listed (address, position)
  group by listed.address
  order by min(listed.position)
  on conflict (community_id, address) do update set role = 'owner' where members.role <> 'owner';
  return null;
end $$;
create trigger communities_follow_admin_addresses after insert or update of admin_addresses on communities
for each row execute function follow_admin_addresses();

create table api_keys (
  api_key_id uuid primary key,
  community_id text not null references communities,
  key_hash bytea not null unique check (octet_length(key_hash) = 32),
  prefix text not null,
  name text not null,
  role text not null default 'editor' check (role in ('viewer', 'issuer', 'editor', 'owner')),
  -- The member with whose session, or with whose key, the key was created.
  created_by bytea check (octet_length(created_by) = 20),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index api_keys_by_creator on api_keys (community_id, created_by)
where created_by is not null and revoked_at is null;

create table sessions (
  session_id uuid primary key,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  -- Of a session by wallet.
  address bytea check (octet_length(address) = 20),
  -- Of a session by e-mail: the keyed hash of the address, and the address, encrypted: personal data.
  email_hash bytea check (octet_length(email_hash) = 32),
  encrypted_email bytea,
  -- Of the challenge that was signed, or of the mail whose code was sent. It is unique, so each can be used
  -- once, on any process. A session that has ended keeps its row, and so its nonce, until neither is valid.
  nonce text not null unique,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3),
  -- What the contract of a contract wallet has confirmed, as {method, chainId, blockNumber, blockHash}. Null:
  -- a key has signed.
  evidence jsonb,
  constraint sessions_identity check (
    (address is null) = (email_hash is not null) and (email_hash is null) = (encrypted_email is null)
  )
);
create index sessions_by_expiry on sessions (expires_at);
create index sessions_by_address on sessions (address, created_at) where ended_at is null;
create index sessions_by_email on sessions (email_hash, created_at) where ended_at is null and email_hash is not null;

-- One row: the key with which the processes authenticate their challenges. A UUID has 122 random bits.
create table challenge_key (
  is_only_row boolean primary key default true check (is_only_row),
  key bytea not null check (octet_length(key) = 32)
);
insert into challenge_key (key)
select decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');

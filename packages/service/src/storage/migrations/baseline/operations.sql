-- Accepted requests. The pending ones are the queues of the workers.

create table operations (
  operation_id uuid primary key,
  sequence bigint generated always as identity,
  operation_type text not null,
  -- processing: its batch failed, or it is a replacement, so it is settled alone.
  status text not null default 'pending' check (status in ('pending', 'processing', 'success', 'error')),
  -- @people: an operation of a person, about badges of several communities.
  community_id text not null,
  api_key_id uuid references api_keys,
  -- A hash of the request. Null once the operation has ended in error, so that the same request can be sent
  -- again.
  request_identity bytea unique check (octet_length(request_identity) = 32),
  -- Null after a success, unless the operation undoes something.
  request jsonb,
  request_bytes integer not null,
  resource_id bigint,
  tx_hash text,
  error jsonb,
  -- What the client should know about a request that was accepted.
  warnings jsonb,
  created_at timestamptz(3) not null default now(),
  completed_at timestamptz(3),
  check ((status in ('success', 'error')) = (completed_at is not null)),
  check ((status = 'success' and operation_type <> 'moveBadges') = (resource_id is not null)),
  check ((status = 'error') = (error is not null))
);
-- The request of an operation that succeeds is soon deleted. Compressing an allowlist would take longer than
-- writing it.
alter table operations alter column request set storage external;

-- Batches are taken fairly by community. Claims and all kinds of airdrops are settled in the order of their
-- acceptance, so they share a queue (QUEUE in storage/queue.ts is the same expression).
create index operations_pending_by_community on operations ((
  case when operation_type in ('airdrop', 'communityAdminAirdrop', 'communityAdminAirdropWithoutConsentSig')
  then 'claim' else operation_type end
), community_id, sequence) where status = 'pending';
create index operations_isolated_by_community on operations (community_id, sequence) where status = 'processing';
-- The unfinished operations that use the asset of a type.
create index operations_by_nft_type on operations (community_id, (request ->> 'nftTypeId'))
where status in ('pending', 'processing') and operation_type = 'createToken'
  and request ->> 'assetContentType' is not null;
-- The latest removal from a token's allowlist. An earlier addition does not repeat one after it.
create index operations_removals on operations (resource_id, completed_at)
where operation_type = 'removeContributors' and status = 'success';

-- What has happened to the owners of a token.
create index operations_of_owners on operations (resource_id)
where operation_type in ('revoke', 'reinstate', 'move', 'replace', 'renew') and status = 'success';

-- The signatures of claims, burns, admin airdrops and added contributors; each signs the message {tokenId}. A
-- request is deleted when it succeeds, but its signatures stay as evidence.
create table signatures (
  operation_id uuid not null references operations,
  primary_type text not null,
  token_id bigint not null,
  signer bytea not null check (octet_length(signer) = 20),
  -- That of a contract wallet has any length.
  signature bytea not null,
  typed_data_version text not null,
  -- What the contract of the signer has confirmed, as in sessions.
  evidence jsonb,
  primary key (operation_id, primary_type),
  constraint signatures_signature_check check (
    octet_length(signature) = 65 or (evidence is not null and octet_length(signature) <= 8192)
  )
);

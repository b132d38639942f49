-- Links and codes with which tokens are claimed.

-- The creator's signature of a request that adds entries to the allowlist of an allowlisted token.
create table claim_link_signatures (
  claim_link_signature_id uuid primary key,
  token_id bigint not null,
  signer bytea not null check (octet_length(signer) = 20),
  signature bytea not null,
  typed_data_version text not null,
  created_at timestamptz(3) not null default now(),
  -- What the contract of the signer has confirmed, as in sessions.
  evidence jsonb,
  constraint claim_link_signatures_signature_check check (
    octet_length(signature) = 65 or (evidence is not null and octet_length(signature) <= 8192)
  )
);

-- Without a foreign key to the token, which would look the token up for each link. The statement that inserts
-- links reads their token, and the service deletes no tokens.
create table claim_links (
  claim_link_id uuid primary key,
  sequence bigint generated always as identity,
  token_id bigint not null,
  -- The allowlist entry that a claim with the code uses. Each entry is used once, so each code is. A link
  -- without an identifier has an entry of its own, even if its token is open. The entry is deleted if the
  -- link is revoked.
  contributor_key bytea not null check (octet_length(contributor_key) = 32),
  identifier text,
  code_hash bytea not null unique check (octet_length(code_hash) = 32),
  claim_link_signature_id uuid references claim_link_signatures,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  -- Null: a link for one claim. Otherwise the link of a room, whose code many people use.
  max_claims integer,
  -- The claims that were made with the code of a room link.
  claim_count integer not null default 0,
  starts_at timestamptz(3),
  paused_at timestamptz(3),
  is_signature_required boolean not null default false,
  max_claims_per_client integer,
  -- No claim is left.
  is_used boolean not null default false,
  -- claim_link_clients can have rows of the link.
  has_clients boolean not null default false,
  -- The token that the code was made for, if another one has replaced it. Null: token_id.
  made_for_token_id bigint,
  -- The link of the invitation, if this is a further one, of a reminder. It is revoked with that one, and has
  -- the same entry.
  further_of uuid,
  constraint claim_links_claim_count check (
    case when max_claims is null then claim_count = 0 and max_claims_per_client is null
    else claim_count between 0 and max_claims and max_claims_per_client > 0 and expires_at is not null end
  )
);
create index claim_links_further on claim_links (further_of) where further_of is not null;
create index claim_links_by_token on claim_links (token_id, sequence);
-- The links of identifiers, which are revoked if their identifier is removed from the allowlist.
create index claim_links_by_contributor on claim_links (token_id, contributor_key) where identifier is not null;
create index claim_links_by_entry on claim_links (contributor_key, token_id);
-- Counts the unused links of a token. No further index begins with the token: the planner could use it to
-- read the list of a token's links.
create index claim_links_unused on claim_links (token_id, expires_at) where revoked_at is null and not is_used;
create index claim_links_with_clients on claim_links ((least(expires_at, revoked_at))) where has_clients;

-- The claims without a signature that each client address has made with the code of a room link. client_hash
-- is keyed with the code, which the database does not contain. The rows are deleted after the end of the
-- link.
create table claim_link_clients (
  claim_link_id uuid not null,
  client_hash bytea not null check (octet_length(client_hash) = 32),
  claim_count integer not null check (claim_count > 0),
  primary key (claim_link_id, client_hash)
);

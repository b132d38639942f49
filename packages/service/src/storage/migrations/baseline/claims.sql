-- Who has, or had, a token.

-- The row of a lost token stays: its address cannot claim the token again, and the remaining count does not
-- go up. If a token is replaced, its rows stay too, and the replacement gets copies of them.
create table claims (
  token_id bigint not null references tokens,
  address bytea not null check (octet_length(address) = 20),
  -- The allowlist entry that the claim used. Each entry is used once.
  contributor_key bytea check (octet_length(contributor_key) in (20, 32)),
  -- Null if the owner was imported.
  operation_id uuid references operations,
  claimed_at timestamptz(3) not null,
  -- When the address lost the token, in whatever way.
  burnt_at timestamptz(3),
  -- Null also after a replacement, because one operation ends the claims of all owners, and if the imported
  -- owner had lost the token already.
  burn_operation_id uuid references operations,
  -- How the address lost the token. Null: it has burnt it, or it holds it.
  ending text,
  -- When the address got the token by a move or a reinstatement. Null: it has claimed it.
  status_changed_at timestamptz(3),
  -- The address that this one got the token from, if the community moved it. Such a claim does not count
  -- towards the total.
  moved_from bytea,
  -- When the token ends, if it was renewed for this owner. Otherwise the token says it.
  renewed_until timestamptz(3),
  -- The last end that an event has announced.
  announced_end timestamptz(3),
  primary key (token_id, address),
  foreign key (token_id, contributor_key) references allowlist_entries (token_id, contributor_key),
  -- An operation grants and ends one claim. Copies of it belong to other tokens.
  unique (operation_id, token_id),
  unique (burn_operation_id, token_id),
  check (
    case when burnt_at is null then burn_operation_id is null
      else burn_operation_id is not null or operation_id is null or ending is not distinct from 'replaced' end
  ),
  constraint claims_ending check (
    (ending is null or (ending in ('revoked', 'moved', 'replaced') and burnt_at is not null))
    and (moved_from is null or octet_length(moved_from) = 20)
  )
);
create unique index claims_by_contributor on claims (token_id, contributor_key) where contributor_key is not null;
-- Whose token was renewed: some of them are told before its end.
create index claims_renewed on claims (token_id, renewed_until) where renewed_until is not null and burnt_at is null;
create index claims_by_time on claims (token_id, claimed_at, address) where burnt_at is null;
create index claims_ended_by_time on claims (token_id, claimed_at, address) where burnt_at is not null;
-- The tokens that an address holds, the newest first.
create index claims_held_by_address on claims (address, token_id) where burnt_at is null;

-- The ends of renewals that no event has announced.
create index claims_to_announce on claims (token_id, renewed_until)
where renewed_until is not null and burnt_at is null
  and (announced_end is null or announced_end < renewed_until);

-- Settled claims, airdrops, moves and replacements insert claims. A claim that was moved from another address
-- is not counted, because that of the other address is.
create function count_claims() returns trigger language plpgsql as $$
begin
  insert into token_counts as c (token_id, claimed_count, contributor_count)
  select n.token_id, n.claims, 0
  from (select token_id, count(*) as claims from added where moved_from is null group by token_id) n
  cross join lateral (
    select from tokens t where t.token_id = n.token_id and t.is_allowlist_required limit 1
  ) t
  order by n.token_id
  on conflict (token_id) do update set claimed_count = c.claimed_count + excluded.claimed_count;
  return null;
end $$;
create trigger claims_count_new after insert on claims referencing new table as added
for each statement execute function count_claims();

-- The tokens that their owners do not want to be seen on pages. The address is a wallet or a kept one.
create table hidden_tokens (
  token_id bigint not null references tokens,
  address bytea not null check (octet_length(address) = 20),
  primary key (token_id, address)
);

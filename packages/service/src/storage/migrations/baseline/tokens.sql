-- Tokens, the lists that they are read from, and who may claim them.

create table tokens (
  token_id bigint primary key check (token_id > 0),
  -- Null, as is the signature, if the token was imported.
  operation_id uuid unique references operations,
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
  signature bytea,
  typed_data_version text not null default 'badge/1',
  -- What the contract of the creator has confirmed, as in sessions.
  evidence jsonb,
  created_at timestamptz(3) not null,
  is_hidden boolean not null default false,
  -- The content type of the NFT type's asset, null for a built-in design. The URLs of the picture depend on
  -- it.
  asset_content_type text,
  -- What somebody has done for the badge. It is not signed.
  criteria text,
  claimable_from_timestamp bigint,
  -- When the token ends for its owners: at a time, or so many days after their claim. `renewed_until` of a
  -- claim comes before both.
  valid_until timestamptz(3),
  validity_days integer check (validity_days between 1 and 36500),
  -- The token to which everybody was moved, and when. If that one is replaced too, this becomes the last one.
  -- Deferrable, because an import inserts tokens in the order of their ids.
  replaced_by_token_id bigint references tokens deferrable,
  replaced_at timestamptz(3),
  -- Which badge of which other service the token was, its page there, and when it was imported.
  imported_service text,
  imported_id text,
  imported_url text,
  imported_at timestamptz(3),
  check (is_allowlist_required = (total_claim_count is null)),
  check (is_allowlist_required = (remaining_claim_count is null)),
  check (valid_until is null or validity_days is null),
  check ((replaced_by_token_id is null) = (replaced_at is null)),
  constraint tokens_imported check (
    case when imported_at is null
      then num_nulls(operation_id, signature) = 0 and num_nonnulls(imported_service, imported_id, imported_url) = 0
      else num_nonnulls(operation_id, signature, evidence) = 0 and num_nulls(imported_service, imported_id) = 0
    end
  )
);
create index tokens_by_community on tokens (community_id, token_id);
create index tokens_hidden on tokens (token_id) where is_hidden;
create index tokens_replaced on tokens (replaced_by_token_id) where replaced_by_token_id is not null;
-- The tokens that use the asset of a type.
create index tokens_by_nft_type on tokens (community_id, nft_type_id) where asset_content_type is not null;
-- A badge of another service becomes one token, however often it is imported.
create unique index tokens_by_source on tokens (community_id, imported_service, imported_id)
  where imported_at is not null;

-- The tokens whose owners can have an end: when the next of them does. `infinity`: none does, unless
-- something changes. The walk over the owners has come to `walked_at` and `walked_address`, in the order of
-- their claims.
create table expiry_turns (
  token_id bigint primary key,
  next_at timestamptz(3) not null,
  walked_at timestamptz(3) not null default '-infinity',
  walked_address bytea not null default ''
);
create index expiry_turns_due on expiry_turns (next_at) where next_at < 'infinity';

-- One row. Token ids come from it in the transaction that creates the tokens, so they have no gaps.
create table token_counter (
  is_only_row boolean primary key default true check (is_only_row),
  last_token_id bigint not null
);
insert into token_counter (last_token_id) values (0);

-- Lists of tokens: one of all tokens, one for each community, and in a community one for each headline and
-- for each value of a custom attribute. A list's id is a hash of what it lists.
create table token_list_entries (
  list_id uuid not null,
  is_hidden boolean not null,
  token_id bigint not null,
  primary key (list_id, is_hidden, token_id)
);
-- The entries are counted in blocks of 4,096 ids, so that an offset is found without reading the entries
-- before it. Space is left for updates in place: every batch of new tokens changes the newest blocks.
create table token_list_blocks (
  list_id uuid not null,
  is_hidden boolean not null,
  block bigint not null,
  tokens bigint not null,
  primary key (list_id, is_hidden, block)
) with (fillfactor = 80);

create function token_list_id(variadic parts text[]) returns uuid language sql stable parallel safe as $$
  select encode(substring(sha256(convert_to(parts::text, 'UTF8')) for 16), 'hex')::uuid
$$;
-- A number is written as in JSON: 1e+21, but 100000000000000000000.
create function attribute_text(value jsonb) returns text language sql stable parallel safe as $$
  select case
    when jsonb_typeof(value) <> 'number' then value #>> '{}'
    when abs(value::numeric) >= 1e21 or (abs(value::numeric) < 1e-6 and value::numeric <> 0)
      then regexp_replace(value::numeric::double precision::text, 'e([+-])0', 'e\1')
    else trim_scale(value::numeric)::text
  end
$$;
create function token_list_ids(community_id text, headline text, custom_attributes jsonb) returns setof uuid
language sql stable parallel safe as $$
  select token_list_id('tokens')
  union all select token_list_id('community', community_id)
  union all select token_list_id('headline', community_id, headline)
  union all (
    select distinct token_list_id('attribute', community_id, a."fieldName", attribute_text(a.value))
    from jsonb_to_recordset(custom_attributes) as a ("fieldName" text, value jsonb)
    where jsonb_typeof(a.value) in ('string', 'number', 'boolean')
  )
$$;

-- Lists follow new tokens. Blocks are changed in the order of their key, so that two transactions cannot
-- deadlock.
create function list_new_tokens() returns trigger language plpgsql as $$
begin
  with member as materialized (
    select list_id, t.is_hidden, t.token_id
    from added t
    cross join lateral token_list_ids(t.community_id, t.headline, t.custom_attributes) as list_id
  ), listed as (
    insert into token_list_entries (list_id, is_hidden, token_id)
    select list_id, is_hidden, token_id from member order by list_id, is_hidden, token_id
  )
  insert into token_list_blocks as b (list_id, is_hidden, block, tokens)
  select list_id, is_hidden, token_id >> 12, count(*) from member
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (list_id, is_hidden, block) do update set tokens = b.tokens + excluded.tokens;
  return null;
end $$;
create trigger tokens_list_new after insert on tokens referencing new table as added
for each statement execute function list_new_tokens();

-- The statement is planned again for each call. A plan that was made for empty tables would read whole tables
-- later.
create function list_changed_token() returns trigger language plpgsql
set plan_cache_mode = force_custom_plan as $$
begin
  with change as materialized (
    select list_id, is_hidden, sum(tokens) as tokens
    from (
      select list_id, old.is_hidden, -1 as tokens
      from token_list_ids(old.community_id, old.headline, old.custom_attributes) as list_id
      union all
      select list_id, new.is_hidden, 1
      from token_list_ids(new.community_id, new.headline, new.custom_attributes) as list_id
    ) as membership
    group by list_id, is_hidden having sum(tokens) <> 0
  ), removed as (
    delete from token_list_entries e using change c
    where c.tokens < 0 and e.list_id = c.list_id and e.is_hidden = c.is_hidden and e.token_id = old.token_id
  ), listed as (
    insert into token_list_entries (list_id, is_hidden, token_id)
    select list_id, is_hidden, old.token_id from change where tokens > 0
  )
  insert into token_list_blocks as b (list_id, is_hidden, block, tokens)
  select list_id, is_hidden, old.token_id >> 12, tokens from change order by list_id, is_hidden
  on conflict (list_id, is_hidden, block) do update set tokens = b.tokens + excluded.tokens;
  return null;
end $$;
create trigger tokens_list_changed after update of is_hidden, headline, custom_attributes on tokens
for each row
when (
  old.is_hidden <> new.is_hidden or old.headline <> new.headline or old.custom_attributes <> new.custom_attributes
)
execute function list_changed_token();

-- Who may claim a token: contributors, and the codes of links for one claim.
create table allowlist_entries (
  token_id bigint not null,
  -- A 20-byte address, or the 32-byte hash of the identifier in the next column.
  contributor_key bytea not null check (octet_length(contributor_key) in (20, 32)),
  identifier text,
  -- The ENS name that was added for an address. It stays, even if the name later belongs to another address.
  ens_name text,
  position integer not null,
  added_at timestamptz(3) not null,
  -- With the key first, it also serves look-ups by address, and inserts of long lists are faster.
  primary key (contributor_key, token_id),
  check ((identifier is null) = (octet_length(contributor_key) = 20))
);
create index allowlist_entries_by_position on allowlist_entries (token_id, position);
create index allowlist_entries_by_ens_name on allowlist_entries (token_id, ens_name) where ens_name is not null;

-- A guard: a foreign key would look up the token of each entry. This looks up each token once per statement.
-- Unlike a foreign key, it does not prevent the deletion of a token that has entries, but the service deletes
-- no tokens.
create function check_tokens_of_allowlist_entries() returns trigger language plpgsql as $$
begin
  if exists (
    select from (select distinct token_id from written) w
    where not exists (select from tokens t where t.token_id = w.token_id)
  ) then
    raise exception 'an allowlist entry has no token'
      using errcode = 'foreign_key_violation', constraint = 'allowlist_entries_token';
  end if;
  return null;
end $$;
create trigger allowlist_entries_check_tokens after insert on allowlist_entries referencing new table as written
for each statement execute function check_tokens_of_allowlist_entries();

-- The claims and the contributors of each allowlisted token, and the people of each token. The claims of an
-- open token are its total count without its remaining count. In a table of its own, so that the rows of
-- tokens are neither locked nor written. Space is left for updates in place.
create table token_counts (
  token_id bigint primary key,
  claimed_count bigint not null,
  contributor_count bigint not null,
  -- The rows of recipients that are neither removed nor former.
  recipient_count bigint not null default 0
) with (fillfactor = 50);

-- Creating a token, adding and removing contributors, making and revoking links, reservations and cancelled
-- mails write entries. Each would repeat this. The entries of an open token belong to claim links, so they
-- are no contributors. `limit` makes PostgreSQL look the tokens up by their ids, whatever the size of the
-- table was when it made the plan.
create function count_allowlist_entries() returns trigger language plpgsql as $$
begin
  insert into token_counts as c (token_id, claimed_count, contributor_count)
  select n.token_id, 0, n.change
  from (
    select token_id, case tg_op when 'DELETE' then - count(*) else count(*) end as change
    from touched group by token_id
  ) n
  cross join lateral (
    select from tokens t where t.token_id = n.token_id and t.is_allowlist_required limit 1
  ) t
  order by n.token_id
  on conflict (token_id) do update set contributor_count = c.contributor_count + excluded.contributor_count;
  return null;
end $$;
create trigger allowlist_entries_count_new after insert on allowlist_entries referencing new table as touched
for each statement execute function count_allowlist_entries();
create trigger allowlist_entries_count_deleted after delete on allowlist_entries referencing old table as touched
for each statement execute function count_allowlist_entries();

-- The changes of tokens, so that processes can keep responses until their tokens change. Everything that
-- writes tokens, claims or counts changes responses, and would repeat what these triggers do.

-- The tokens that a transaction changed: those from lowest_id to highest_id.
create table token_changes (
  xid xid8 not null default pg_current_xact_id(),
  lowest_id bigint not null,
  highest_id bigint not null,
  -- Tokens may have been added, hidden or shown, so that they can be at other places in lists.
  changes_lists boolean not null,
  -- Their owners changed, and the tokens themselves did not.
  is_of_owners boolean not null default false
);
create index token_changes_by_xid on token_changes (xid);

-- One row. Changes of transactions before xid may have been deleted.
create table token_changes_horizon (
  is_only_row boolean primary key default true check (is_only_row),
  xid xid8 not null
);
insert into token_changes_horizon (xid) values ('0');

create function record_new_tokens() returns trigger language plpgsql as $$
begin
  insert into token_changes (lowest_id, highest_id, changes_lists)
  select min(token_id), max(token_id), true from touched having count(*) > 0;
  return null;
end $$;
create trigger tokens_record_new after insert on tokens referencing new table as touched
for each statement execute function record_new_tokens();

-- Most updates are claims, which change few tokens. An update of many tokens is recorded as one range that
-- changes lists. Any other update changes lists if is_hidden of a token differs between its two versions.
create function record_token_updates() returns trigger language plpgsql as $$
begin
  if (select count(*) from updated) > 256 then
    insert into token_changes (lowest_id, highest_id, changes_lists)
    select min(token_id), max(token_id), true from updated;
  else
    insert into token_changes (lowest_id, highest_id, changes_lists)
    select token_id, token_id, count(distinct is_hidden) > 1
    from (select token_id, is_hidden from former union all select token_id, is_hidden from updated) as version
    group by token_id;
  end if;
  return null;
end $$;
create trigger tokens_record_updated after update on tokens referencing old table as former new table as updated
for each statement execute function record_token_updates();

-- The argument says whether only the owners of the tokens change. A change of many tokens is recorded as one
-- range.
create function record_changes_of_content() returns trigger language plpgsql as $$
begin
  if (select count(*) from touched) > 256 then
    insert into token_changes (lowest_id, highest_id, changes_lists, is_of_owners)
    select min(token_id), max(token_id), false, tg_argv[0]::boolean from touched;
  else
    insert into token_changes (lowest_id, highest_id, changes_lists, is_of_owners)
    select distinct token_id, token_id, false, tg_argv[0]::boolean from touched;
  end if;
  return null;
end $$;
-- A response of a token contains the counts.
create trigger token_counts_record_new after insert on token_counts referencing new table as touched
for each statement execute function record_changes_of_content('false');
create trigger token_counts_record_updated after update on token_counts referencing new table as touched
for each statement execute function record_changes_of_content('false');
-- The claims are locked first and token_changes second, in the same order as when a claim is settled, so this
-- cannot deadlock.
create trigger claims_record_new after insert on claims referencing new table as touched
for each statement execute function record_changes_of_content('true');
create trigger claims_record_updated after update on claims referencing new table as touched
for each statement execute function record_changes_of_content('true');
-- The list of a wallet says which of its tokens are hidden.
create trigger hidden_tokens_record_new after insert on hidden_tokens referencing new table as touched
for each statement execute function record_changes_of_content('true');
create trigger hidden_tokens_record_deleted after delete on hidden_tokens referencing old table as touched
for each statement execute function record_changes_of_content('true');

import { type Kysely, sql } from 'kysely';

// The changes of tokens, so that processes can keep responses until their tokens change. Triggers record the changes,
// because processes of earlier releases and operators also write tokens.
export async function up(db: Kysely<unknown>): Promise<void> {
  // The tokens that a transaction changed: those from lowest_id to highest_id. If changes_lists is true, tokens may
  // have been added, removed, hidden or shown, so that they can be at other places in lists.
  await sql`
    create table token_changes (
      xid xid8 not null default pg_current_xact_id(),
      lowest_id bigint not null,
      highest_id bigint not null,
      changes_lists boolean not null
    )`.execute(db);
  await sql`create index token_changes_by_xid on token_changes (xid)`.execute(db);
  // Changes of transactions before xid may have been deleted.
  await sql`
    create table token_changes_horizon (
      is_only_row boolean primary key default true check (is_only_row),
      xid xid8 not null
    )`.execute(db);
  await sql`insert into token_changes_horizon (xid) values ('0')`.execute(db);

  await sql`
    create function record_token_range() returns trigger language plpgsql as $$
    begin
      insert into token_changes (lowest_id, highest_id, changes_lists)
      select min(token_id), max(token_id), true from touched having count(*) > 0;
      return null;
    end $$`.execute(db);
  // Most updates are claims, which change few tokens. An update of many tokens is recorded as one range that changes lists.
  // Any other update changes lists if the id, the community or is_hidden of a token differs between its two versions.
  await sql`
    create function record_token_updates() returns trigger language plpgsql as $$
    begin
      if (select count(*) from updated) > 256 then
        insert into token_changes (lowest_id, highest_id, changes_lists)
        select min(token_id), max(token_id), true
        from (select token_id from former union all select token_id from updated) as touched;
      else
        insert into token_changes (lowest_id, highest_id, changes_lists)
        select token_id, token_id, count(*) <> 2 or count(distinct (community_id, is_hidden)) > 1
        from (
          select token_id, community_id, is_hidden from former
          union all select token_id, community_id, is_hidden from updated
        ) as version
        group by token_id;
      end if;
      return null;
    end $$`.execute(db);
  await sql`
    create function record_token_truncation() returns trigger language plpgsql as $$
    begin
      insert into token_changes (lowest_id, highest_id, changes_lists) values (0, 9007199254740991, true);
      return null;
    end $$`.execute(db);

  await sql`
    create trigger tokens_record_new after insert on tokens referencing new table as touched
    for each statement execute function record_token_range()`.execute(db);
  await sql`
    create trigger tokens_record_updated after update on tokens
    referencing old table as former new table as updated
    for each statement execute function record_token_updates()`.execute(db);
  await sql`
    create trigger tokens_record_deleted after delete on tokens referencing old table as touched
    for each statement execute function record_token_range()`.execute(db);
  await sql`
    create trigger tokens_record_truncated after truncate on tokens
    for each statement execute function record_token_truncation()`.execute(db);
}

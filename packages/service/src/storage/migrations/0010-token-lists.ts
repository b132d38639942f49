import { setTimeout as wait } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';

const MAX_LOCK_ATTEMPTS = 20;

// Stores lists of tokens: one of all tokens, one for each community, and in a community one for each headline and
// for each value of a custom attribute. A list's id is a hash of what it lists. Its entries are ordered by token id.
// They are counted in blocks of 4,096 ids, so that an offset is found without reading the entries before it.
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTables(db);
  await createFunctions(db);
  // Other processes write tokens meanwhile. Their writes wait only while the changes are added.
  const lastTokenId = await listExistingTokens(db);
  await lockTokens(db);
  const changedIds = await findChangedTokens(db, lastTokenId);
  // Only is_hidden can have changed. Before the triggers exist, it is set back to what the lists contain. Then it is
  // changed again, so that the triggers move the entries.
  await switchHidden(db, changedIds);
  await createTriggers(db);
  await switchHidden(db, changedIds);
  await addToLists(sql`(select * from tokens where token_id > ${lastTokenId})`).execute(db);
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table token_list_entries (
      list_id uuid not null,
      is_hidden boolean not null,
      token_id bigint not null
    )`.execute(db);
  // Space is left for updates in place: every batch of new tokens changes the newest blocks.
  await sql`
    create table token_list_blocks (
      list_id uuid not null,
      is_hidden boolean not null,
      block bigint not null,
      tokens bigint not null
    ) with (fillfactor = 80)`.execute(db);
}

async function createFunctions(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function token_list_id(variadic parts text[]) returns uuid language sql stable parallel safe as $$
      select encode(substring(sha256(convert_to(parts::text, 'UTF8')) for 16), 'hex')::uuid
    $$`.execute(db);

  // A number is written as in JSON: 1e+21, but 100000000000000000000.
  await sql`
    create function attribute_text(value jsonb) returns text language sql stable parallel safe as $$
      select case
        when jsonb_typeof(value) <> 'number' then value #>> '{}'
        when abs(value::numeric) >= 1e21 or (abs(value::numeric) < 1e-6 and value::numeric <> 0)
          then regexp_replace(value::numeric::double precision::text, 'e([+-])0', 'e\\1')
        else trim_scale(value::numeric)::text
      end
    $$`.execute(db);

  await sql`
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
    $$`.execute(db);
}

// Changes blocks in the order of their key, so that two transactions cannot deadlock.
function addToLists(tokens: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    with member as materialized (
      select list_id, t.is_hidden, t.token_id
      from ${tokens} t
      cross join lateral token_list_ids(t.community_id, t.headline, t.custom_attributes) as list_id
    ), listed as (
      insert into token_list_entries (list_id, is_hidden, token_id)
      select list_id, is_hidden, token_id from member order by list_id, is_hidden, token_id
    )
    insert into token_list_blocks as b (list_id, is_hidden, block, tokens)
    select list_id, is_hidden, token_id >> 12, count(*) from member
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (list_id, is_hidden, block) do update set tokens = b.tokens + excluded.tokens`;
}

// Triggers, because processes of earlier releases also write tokens.
async function createTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function list_new_tokens() returns trigger language plpgsql as $$
    begin
      ${addToLists(sql.id('added'))};
      return null;
    end $$`.execute(db);
  // The statement is planned again for each call. A plan that was made for empty tables would read whole tables later.
  await sql`
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
          where tg_op = 'UPDATE'
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
    end $$`.execute(db);
  await sql`
    create trigger tokens_list_new after insert on tokens referencing new table as added
    for each statement execute function list_new_tokens()`.execute(db);
  await sql`
    create trigger tokens_list_changed after update of is_hidden, headline, custom_attributes on tokens
    for each row
    when (
      old.is_hidden <> new.is_hidden or old.headline <> new.headline
      or old.custom_attributes <> new.custom_attributes
    )
    execute function list_changed_token()`.execute(db);
  // The service deletes no tokens. An operator may.
  await sql`
    create trigger tokens_list_deleted after delete on tokens
    for each row execute function list_changed_token()`.execute(db);
  await sql`
    create function empty_token_lists() returns trigger language plpgsql as $$
    begin
      truncate token_list_entries, token_list_blocks;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger tokens_list_truncated after truncate on tokens
    for each statement execute function empty_token_lists()`.execute(db);
}

/** Returns the highest id that was added to the lists. */
async function listExistingTokens(db: Kysely<unknown>): Promise<number> {
  await sql`
    insert into token_list_entries (list_id, is_hidden, token_id)
    select list_id, t.is_hidden, t.token_id
    from tokens t
    cross join lateral token_list_ids(t.community_id, t.headline, t.custom_attributes) as list_id`.execute(
    db,
  );
  await sql`alter table token_list_entries add primary key (list_id, is_hidden, token_id)`.execute(db);
  await sql`
    insert into token_list_blocks (list_id, is_hidden, block, tokens)
    select list_id, is_hidden, token_id >> 12, count(*) from token_list_entries group by 1, 2, 3`.execute(db);
  await sql`alter table token_list_blocks add primary key (list_id, is_hidden, block)`.execute(db);
  const { rows } = await sql<{ last: number | null }>`
    select max(token_id) as last from token_list_entries`.execute(db);
  return rows[0]?.last ?? 0;
}

// A statement waits for a lock for 2 seconds. Then only this step is retried, not the whole migration.
async function lockTokens(db: Kysely<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await sql`savepoint before_lock`.execute(db);
    try {
      await sql`lock table tokens in share row exclusive mode`.execute(db);
      return;
    } catch (error) {
      if (attempt === MAX_LOCK_ATTEMPTS) throw error;
      await sql`rollback to savepoint before_lock`.execute(db);
      await wait(Math.random() * 1_000);
    }
  }
}

// Tokens become visible in the order of their ids, so the tokens up to the last listed one are all listed.
async function findChangedTokens(db: Kysely<unknown>, lastTokenId: number): Promise<number[]> {
  const { rows } = await sql<{ token_id: number }>`
    with hidden as (
      select token_id from tokens where is_hidden and token_id <= ${lastTokenId}
    ), listed as (
      select token_id from token_list_entries where list_id = token_list_id('tokens') and is_hidden
    )
    (select token_id from hidden except select token_id from listed)
    union all (select token_id from listed except select token_id from hidden)`.execute(db);
  return rows.map((row) => row.token_id);
}

async function switchHidden(db: Kysely<unknown>, tokenIds: number[]): Promise<void> {
  await sql`
    update tokens set is_hidden = not is_hidden where token_id = any(${tokenIds}::bigint[])`.execute(db);
}

import { type Kysely, sql } from 'kysely';

// Counts the claims and the contributors of each allowlisted token. Triggers keep the counts, because processes of the
// previous release also write claims and entries. An open token needs no counts: its claims are its total count without
// its remaining count.
export async function up(db: Kysely<unknown>): Promise<void> {
  // In a table of its own, so that the rows of tokens are neither locked nor written. Space is left for updates in place.
  await sql`
    create table token_counts (
      token_id bigint primary key,
      claimed_count bigint not null,
      contributor_count bigint not null
    ) with (fillfactor = 50)`.execute(db);
  // Claims and entries cannot be written from here to the end of the migration: one to two seconds per million of them.
  await sql`lock table allowlist_entries, claims in share row exclusive mode`.execute(db);
  await sql`
    insert into token_counts (token_id, claimed_count, contributor_count)
    select t.token_id, coalesce(c.claims, 0), coalesce(a.entries, 0)
    from tokens t
    left join (
      select token_id, count(*) as claims from claims where moved_from is null group by token_id
    ) c using (token_id)
    left join (select token_id, count(*) as entries from allowlist_entries group by token_id) a using (token_id)
    where t.is_allowlist_required`.execute(db);
  await createCountTriggers(db);
  await createChangeTriggers(db);
}

// The entries of an open token's allowlist belong to claim links, so they are no contributors. A claim that was moved from
// another address is not counted, because that of the other address is. An update changes no count.
async function createCountTriggers(db: Kysely<unknown>): Promise<void> {
  // `limit` makes PostgreSQL look the tokens up by their ids, whatever the size of the table was when it made the plan.
  const changes = (column: 'claimed_count' | 'contributor_count', condition: string) => sql`
    insert into token_counts as c (token_id, claimed_count, contributor_count)
    select n.token_id, ${sql.raw(column === 'claimed_count' ? 'n.change, 0' : '0, n.change')}
    from (
      select token_id, case tg_op when 'DELETE' then - count(*) else count(*) end as change
      from touched ${sql.raw(condition)} group by token_id
    ) n
    cross join lateral (
      select from tokens t where t.token_id = n.token_id and t.is_allowlist_required limit 1
    ) t
    order by n.token_id
    on conflict (token_id) do update set ${sql.ref(column)} = c.${sql.ref(column)} + excluded.${sql.ref(column)}`;
  for (const { table, column, condition } of [
    { table: 'claims', column: 'claimed_count', condition: 'where moved_from is null' },
    { table: 'allowlist_entries', column: 'contributor_count', condition: '' },
  ] as const) {
    const name = sql.raw(`count_${table}`);
    await sql`
      create function ${name}() returns trigger language plpgsql as $$
      begin
        if tg_op = 'TRUNCATE' then
          update token_counts set ${sql.ref(column)} = 0;
        else
          ${changes(column, condition)};
        end if;
        return null;
      end $$`.execute(db);
    await sql`
      create trigger ${sql.raw(`${table}_count_new`)} after insert on ${sql.table(table)} referencing new table as touched
      for each statement execute function ${name}()`.execute(db);
    await sql`
      create trigger ${sql.raw(`${table}_count_deleted`)} after delete on ${sql.table(table)} referencing old table as touched
      for each statement execute function ${name}()`.execute(db);
    await sql`
      create trigger ${sql.raw(`${table}_count_truncated`)} after truncate on ${sql.table(table)}
      for each statement execute function ${name}()`.execute(db);
  }
}

// A response of a token contains the counts, so a change of them is a change of the token.
async function createChangeTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function record_count_changes() returns trigger language plpgsql as $$
    begin
      if (select count(*) from touched) > 256 then
        insert into token_changes (lowest_id, highest_id, changes_lists)
        select min(token_id), max(token_id), false from touched;
      else
        insert into token_changes (lowest_id, highest_id, changes_lists)
        select token_id, token_id, false from touched;
      end if;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger token_counts_record_new after insert on token_counts referencing new table as touched
    for each statement execute function record_count_changes()`.execute(db);
  await sql`
    create trigger token_counts_record_updated after update on token_counts referencing new table as touched
    for each statement execute function record_count_changes()`.execute(db);
}

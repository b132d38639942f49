import { query } from './sql.ts';

/**
 * Counts the entries and blocks of the token lists that do not match the tokens. Returns 0 if all lists are
 * right.
 */
export async function countWrongTokenLists(databaseUrl: string): Promise<number> {
  // A block has 4,096 ids, so `token_id >> 12` is its number.
  const [found] = await query<{ wrong: number }>(
    databaseUrl,
    `with expected as materialized (
       select list_id, is_hidden, token_id
       from tokens cross join lateral token_list_ids(community_id, headline, custom_attributes) as list_id
     ), entry as (
       select from expected full join token_list_entries e using (list_id, is_hidden, token_id)
       where expected.* is null or e.* is null
     ), counted as (
       select list_id, is_hidden, token_id >> 12 as block, count(*) as tokens from expected group by 1, 2, 3
     ), block as (
       select from counted c full join token_list_blocks b using (list_id, is_hidden, block)
       where coalesce(c.tokens, 0) <> coalesce(b.tokens, 0)
     )
     select ((select count(*) from entry) + (select count(*) from block))::integer as wrong`,
  );
  return found?.wrong ?? 0;
}

import { query } from './sql.ts';

/**
 * Counts the rows of `token_counts` that do not match the claims and the contributors. Returns 0 if all are
 * right.
 */
export async function countWrongTokenCounts(databaseUrl: string): Promise<number> {
  const [found] = await query<{ wrong: number }>(
    databaseUrl,
    `with expected as (
       select token_id,
         (select count(*) from claims c where c.token_id = t.token_id and moved_from is null) as claimed_count,
         (select count(*) from allowlist_entries a where a.token_id = t.token_id) as contributor_count
       from tokens t where is_allowlist_required
     )
     select count(*)::integer as wrong from expected e full join token_counts c using (token_id)
     where coalesce(e.claimed_count, 0) <> coalesce(c.claimed_count, 0)
       or coalesce(e.contributor_count, 0) <> coalesce(c.contributor_count, 0)`,
  );
  return found?.wrong ?? 0;
}

import { query } from './sql.ts';

/**
 * Counts the rows of `token_counts` that do not match the claims, the contributors and the recipients.
 * Returns 0 if all are right.
 */
export async function countWrongTokenCounts(databaseUrl: string): Promise<number> {
  const [found] = await query<{ wrong: number }>(
    databaseUrl,
    `with expected as (
       select token_id,
         (select count(*) from claims c
          where is_allowlist_required and c.token_id = t.token_id and moved_from is null) as claimed_count,
         (select count(*) from allowlist_entries a
          where is_allowlist_required and a.token_id = t.token_id) as contributor_count,
         (select count(*) from recipients r
          where r.token_id = t.token_id and removed_at is null and not is_former) as recipient_count
       from tokens t
     )
     select count(*)::integer as wrong from expected e full join token_counts c using (token_id)
     where coalesce(e.claimed_count, 0) <> coalesce(c.claimed_count, 0)
       or coalesce(e.contributor_count, 0) <> coalesce(c.contributor_count, 0)
       or coalesce(e.recipient_count, 0) <> coalesce(c.recipient_count, 0)`,
  );
  return found?.wrong ?? 0;
}

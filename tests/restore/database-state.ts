import { query } from '@badge/test-support/sql';
import pg from 'pg';

const DEADLOCK = '40P01';

/** The contents of a database, read in one snapshot. */
export interface DatabaseState {
  operationIds: Set<string>;
  pending: number;
  tokens: number;
  lastTokenId: number;
  highestTokenId: number;
  claims: number;
  /** Tokens whose claims and remaining count do not add up to the total. */
  miscounted: number;
  /** Operations that succeeded but have no token or claim, or that have one but did not succeed. */
  contradictory: number;
}

export async function readDatabaseState(url: string): Promise<DatabaseState> {
  const [row] = await query<Omit<DatabaseState, 'operationIds'> & { ids: string[] }>(
    url,
    `select array(select operation_id::text from operations) as ids,
      (select count(*) from operations where status = 'pending')::integer as pending,
      (select count(*) from tokens)::integer as tokens,
      (select last_token_id from token_counter)::integer as "lastTokenId",
      (select coalesce(max(token_id), 0) from tokens)::integer as "highestTokenId",
      (select count(*) from claims)::integer as claims,
      (select count(*) from tokens t where total_claim_count <> remaining_claim_count
        + (select count(*) from claims c where c.token_id = t.token_id))::integer as miscounted,
      (select count(*) from operations o
        left join tokens t using (operation_id) left join claims c using (operation_id)
        where (o.status = 'success') <> (t.token_id is not null or c.token_id is not null))::integer as contradictory`,
  );
  if (row === undefined) throw new Error('the database returned no row');
  const { ids, ...counts } = row;
  return { ...counts, operationIds: new Set(ids) };
}

/** Drops a table under load. Retries after a deadlock with the load. */
export async function dropTable(url: string, table: string): Promise<void> {
  for (;;) {
    try {
      await query(url, `drop table ${table} cascade`);
      return;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && error.code === DEADLOCK)) throw error;
    }
  }
}

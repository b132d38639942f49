import { sql } from 'kysely';
import type { Database } from './database.ts';

/** What a process has counted in a window: requests by name, each its total of that window. */
export interface CountedRequests {
  processId: string;
  windowNumber: number;
  requests: Map<string, number>;
}

/** Keeps a process's counts and tells those of the others, of the same names; and the database's time. */
export async function exchangeRequestCounts(
  db: Database,
  { processId, windowNumber, requests }: CountedRequests,
): Promise<{ nowMs: number; requests: Map<string, number> }> {
  // Each process writes rows of its own: none waits for another, and the same write again changes nothing.
  const { rows } = await sql<{ nowMs: number; others: Record<string, number> }>`
    with counted as (
      select * from unnest(${[...requests.keys()]}::text[], ${[...requests.values()]}::integer[])
        as counted (name, requests)
    ), kept as (
      insert into request_counts (window_number, name, process_id, requests)
      select ${windowNumber}, name, ${processId}, requests from counted
      on conflict (window_number, name, process_id) do update set requests = excluded.requests
    ), others as (
      select name, sum(requests) as requests from request_counts
      where window_number = ${windowNumber} and name in (select name from counted)
        and process_id <> ${processId}
      group by name
    )
    select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as "nowMs",
      coalesce((select json_object_agg(name, requests) from others), '{}') as others`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('a select without a table answers one row');
  return { nowMs: row.nowMs, requests: new Map(Object.entries(row.others)) };
}

/** Deletes the counts of windows before this one, of all processes. */
export async function deleteOldRequestCounts(db: Database, windowNumber: number): Promise<void> {
  await sql`
    delete from request_counts where (window_number, name, process_id) in (
      select window_number, name, process_id from request_counts where window_number < ${windowNumber}
      for update skip locked
    )`.execute(db);
}

import { sql } from 'kysely';
import type { Database } from './database.ts';

/**
 * What this process has counted in one window. It contains the names whose count has grown since its last
 * report, each with its count in the whole window.
 */
export interface CountReport {
  windowNumber: number;
  /** The number of the window's first five seconds. Counts with a lower number are no longer needed. */
  firstPeriod: number;
  requests: Map<string, number>;
}

/** The totals of the other processes, for the names and the window of a report, and the database's time. */
export interface OtherCounts {
  nowMs: number;
  requests: Map<string, number>;
}

/**
 * Stores the counts of this process. Returns those of the others for the same names, and the database's time.
 */
export async function exchangeRequestCounts(
  db: Database,
  processId: string,
  { windowNumber, requests }: Omit<CountReport, 'firstPeriod'>,
): Promise<OtherCounts> {
  // Each process writes only its own rows, so no process waits for another. The values are totals, so a write
  // that is repeated after an error changes nothing.
  const { rows } = await sql<{ nowMs: number; others: Record<string, number> }>`
    with counted as (
      select * from unnest(${[...requests.keys()]}::text[], ${[...requests.values()]}::integer[])
        as counted (name, requests)
    ), stored as (
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
  if (row === undefined) throw new Error('a select without a table returned no row');
  return { nowMs: row.nowMs, requests: new Map(Object.entries(row.others)) };
}

/** Deletes the counts of all processes in windows that ended before this period. */
export async function deleteOldRequestCounts(db: Database, firstPeriod: number): Promise<void> {
  // Rows that another process is deleting are skipped.
  await sql`
    delete from request_counts where (window_number, name, process_id) in (
      select window_number, name, process_id from request_counts where window_number < ${firstPeriod}
      for update skip locked
    )`.execute(db);
}

import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from './database.ts';
import type { OperationError, Tables } from './schema.ts';

// The operations table is the queue. Pending operations are settled in batches. If a batch fails, its operations are
// isolated: their status is `processing`, batches skip them, and each is settled alone.

/** An operation locked by a worker's transaction. */
export interface TakenOperation {
  operationId: string;
  operationType: Tables['operations']['operation_type'];
}

/**
 * Locks the oldest pending operations that no other worker has locked.
 * `maxBytes` limits the total size of their requests. The first operation is taken even if it is larger.
 */
export async function takeBatch(
  tx: DatabaseTransaction,
  limits: { maxOperations: number; maxBytes: number },
): Promise<TakenOperation[]> {
  const { rows } = await sql<{ operation_id: string; operation_type: TakenOperation['operationType'] }>`
    with candidates as materialized (
      select operation_id, operation_type, sequence, request_bytes from operations
      where status = 'pending'
      order by sequence limit ${limits.maxOperations}
      for update skip locked
    ), summed as (
      select *, sum(request_bytes) over (order by sequence) as bytes_so_far from candidates
    )
    select operation_id, operation_type from summed
    where bytes_so_far - request_bytes = 0 or bytes_so_far <= ${limits.maxBytes}
    order by sequence`.execute(tx);
  return rows.map((row) => ({ operationId: row.operation_id, operationType: row.operation_type }));
}

/** Isolates pending operations, except those that another worker has locked. */
export async function isolateOperations(db: Database, operationIds: string[]): Promise<void> {
  await sql`
    with free as materialized (
      select operation_id from operations
      where operation_id = any(${operationIds}::uuid[]) and status = 'pending'
      order by sequence for update skip locked
    )
    update operations o set status = 'processing' from free where o.operation_id = free.operation_id`.execute(
    db,
  );
}

/** The ids of isolated operations, oldest first. */
export async function listIsolatedOperations(db: Database, limit: number): Promise<string[]> {
  const { rows } = await sql<{ operation_id: string }>`
    select operation_id from operations where status = 'processing'
    order by sequence limit ${limit}`.execute(db);
  return rows.map((row) => row.operation_id);
}

/** Locks one isolated operation; undefined if another worker has locked it or it is settled. */
export async function takeIsolatedOperation(
  tx: DatabaseTransaction,
  operationId: string,
): Promise<TakenOperation | undefined> {
  const { rows } = await sql<{ operation_type: TakenOperation['operationType'] }>`
    select operation_type from operations
    where operation_id = ${operationId}::uuid and status = 'processing'
    for update skip locked`.execute(tx);
  return rows[0] && { operationId, operationType: rows[0].operation_type };
}

/** The requests of operations, in the order of acceptance. */
export async function readRequests<Request extends object>(
  tx: DatabaseTransaction,
  operationIds: string[],
): Promise<(Request & { operationId: string; acceptedAt: Date })[]> {
  const { rows } = await sql<{ operation_id: string; created_at: Date; request: Request }>`
    select operation_id, created_at, request from operations
    where operation_id = any(${operationIds}::uuid[]) order by sequence`.execute(tx);
  return rows.map((row) => ({ ...row.request, operationId: row.operation_id, acceptedAt: row.created_at }));
}

/** How an operation ends: in success with the id of its token, or in error. */
export type Outcome =
  | { operationId: string; resourceId: number }
  | { operationId: string; error: OperationError };

/**
 * Makes operations final and wakes the requests that wait for them. Operations that are already final do not change.
 * An operation that ends in error loses its identity, so that the same request can be sent again.
 */
export async function finishOperations(db: Database, outcomes: Outcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  await sql`
    with finished as (
      update operations o set
        status = case when r.error is null then 'success' else 'error' end,
        resource_id = r.resource_id,
        error = r.error::jsonb,
        request = case when r.error is not null then o.request end,
        request_identity = case when r.error is null then o.request_identity end,
        completed_at = clock_timestamp()
      from unnest(
        ${outcomes.map((o) => o.operationId)}::uuid[],
        ${outcomes.map((o) => ('resourceId' in o ? o.resourceId : null))}::bigint[],
        ${outcomes.map((o) => ('error' in o ? JSON.stringify(o.error) : null))}::text[]
      ) as r (operation_id, resource_id, error)
      where o.operation_id = r.operation_id and o.status in ('pending', 'processing')
      returning o.operation_id
    )
    select pg_notify('badge_operations_settled', '') from finished`.execute(db);
}

/** Counts the operations in the queue, and returns the age of the oldest pending one. */
export async function readBacklog(
  db: Database,
): Promise<{ pending: number; isolated: number; oldestAgeMs: number }> {
  const { rows } = await sql<{ pending: number; isolated: number }>`
    select (select count(*) from operations where status = 'pending') as pending,
           (select count(*) from operations where status = 'processing') as isolated`.execute(db);
  const { pending = 0, isolated = 0 } = rows[0] ?? {};
  return { pending, isolated, oldestAgeMs: await findOldestPendingAgeMs(db) };
}

/** The age of the oldest pending operation by the database's clock, at least 1 ms; 0 if none is pending. */
export async function findOldestPendingAgeMs(db: Database): Promise<number> {
  const { rows } = await sql<{ age_ms: number }>`
    select (extract(epoch from clock_timestamp() - created_at) * 1000)::double precision as age_ms
    from operations where status = 'pending' order by sequence limit 1`.execute(db);
  return rows[0] === undefined ? 0 : Math.max(1, rows[0].age_ms);
}

import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from './database.ts';
import type { TakenOperation } from './operations.ts';

/** Sets pending operations aside, so that sets pass them by; those that a worker holds are left to it. */
export async function setAsideOperations(db: Database, operationIds: string[]): Promise<void> {
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

/** The oldest operations that are set aside, oldest first. */
export async function findSetAsideOperations(db: Database, limit: number): Promise<string[]> {
  const { rows } = await sql<{ operation_id: string }>`
    select operation_id from operations where status = 'processing'
    order by sequence limit ${limit}`.execute(db);
  return rows.map((row) => row.operation_id);
}

/** Takes one operation that is set aside, unless another worker holds it or it is settled. */
export async function takeSetAsideOperation(
  tx: DatabaseTransaction,
  operationId: string,
): Promise<TakenOperation | undefined> {
  const { rows } = await sql<{ operation_type: TakenOperation['operationType'] }>`
    select operation_type from operations
    where operation_id = ${operationId}::uuid and status = 'processing'
    for update skip locked`.execute(tx);
  return rows[0] && { operationId, operationType: rows[0].operation_type };
}

/** How many operations are set aside. */
export async function countSetAsideOperations(db: Database): Promise<number> {
  const { rows } = await sql<{ operations: number }>`
    select count(*) as operations from operations where status = 'processing'`.execute(db);
  return rows[0]?.operations ?? 0;
}

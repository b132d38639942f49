import type { Operation } from '@badge/protocol';
import type { Context, OperationError } from '../../context.ts';
import type { OperationRow } from '../../storage/operations.ts';
import { isUuid } from '../ids.ts';
import type { Wait } from '../reader.ts';
import { Refusal } from '../refusal.ts';

/** An operation whose error is not yet a problem object. */
export type OperationRecord = Omit<Operation, 'error'> & { error: OperationError | null };

/** Reads an operation. If `wait` is given, waits until the operation is final, or until the wait ends. */
export async function readOperation(
  context: Context,
  operationId: string,
  wait: Wait | null,
): Promise<OperationRecord> {
  let row = await findOperation(context, operationId);
  if (row !== undefined && wait !== null && !isFinal(row.status)) {
    await context.waits.untilFinal(row.operation_id, wait.maxMs, wait.signal);
    row = await findOperation(context, operationId);
  }
  if (row === undefined) throw new Refusal('OperationNotFound', 'There is no operation with this id.');
  return {
    operationId: row.operation_id,
    operationType: row.operation_type,
    status: row.status,
    resourceId: row.resource_id,
    txHash: row.tx_hash,
    error: row.error,
    warnings: (row.warnings ?? []) as Operation['warnings'],
    createdAtTimestamp: row.created_at.getTime(),
    completedAtTimestamp: row.completed_at?.getTime() ?? null,
  };
}

/** Whether an operation's status can no longer change. */
export function isFinal(status: Operation['status']): boolean {
  return status === 'success' || status === 'error';
}

async function findOperation(context: Context, operationId: string): Promise<OperationRow | undefined> {
  return isUuid(operationId) ? await context.lookUps.findOperation(operationId.toLowerCase()) : undefined;
}

import type { Operation } from '@badge/protocol';
import type { DatabaseTransaction } from '../../context.ts';
import { takeOperations as takeStoredOperations } from '../../storage/operations.ts';

// A set large enough to share a commit's cost, small enough to be settled within tens of milliseconds.
const SET_OPERATIONS = 64;
const SET_BYTES = 8 * 1024 * 1024;

/** Takes a set of pending operations, or the one given, for this transaction; by their types. */
export async function takeOperations(
  tx: DatabaseTransaction,
  operationId?: string,
): Promise<Map<Operation['operationType'], string[]>> {
  const bounds = { maxOperations: SET_OPERATIONS, maxBytes: SET_BYTES };
  const taken = await takeStoredOperations(
    tx,
    operationId === undefined ? bounds : { ...bounds, operationId },
  );
  const byType = new Map<Operation['operationType'], string[]>();
  for (const operation of taken) {
    byType.set(operation.operationType, [
      ...(byType.get(operation.operationType) ?? []),
      operation.operationId,
    ]);
  }
  return byType;
}

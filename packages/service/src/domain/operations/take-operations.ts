import type { DatabaseTransaction } from '../../context.ts';
import { type TakenOperation, takeOperations as takeStoredOperations } from '../../storage/operations.ts';

// A set large enough to share a commit's cost, small enough to be settled within tens of milliseconds.
const SET_OPERATIONS = 64;
const SET_BYTES = 8 * 1024 * 1024;

/** Takes the oldest pending operations that no other worker holds, for this transaction. */
export async function takeOperations(tx: DatabaseTransaction): Promise<TakenOperation[]> {
  return await takeStoredOperations(tx, { maxOperations: SET_OPERATIONS, maxBytes: SET_BYTES });
}

import type { DatabaseTransaction } from '../../context.ts';
import type { TakenOperation } from '../../storage/operations.ts';
import { takeSetAsideOperation as takeStored } from '../../storage/set-aside-operations.ts';

/** Takes one operation that is set aside, for this transaction; nothing where another worker holds it. */
export async function takeSetAsideOperation(
  tx: DatabaseTransaction,
  operationId: string,
): Promise<TakenOperation | undefined> {
  return await takeStored(tx, operationId);
}

import type { Context } from '../../context.ts';
import { failOperations } from '../../storage/operations.ts';

/** Ends an operation that cannot be settled, so that it is final and its request may be sent again. */
export async function failOperation(context: Context, operationId: string): Promise<void> {
  const error = {
    name: 'InternalError',
    detail: 'The operation could not be settled because of an internal error. The request may be sent again.',
  };
  await failOperations(context.database, [{ operationId, error }]);
}

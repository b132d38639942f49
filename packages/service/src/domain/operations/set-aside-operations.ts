import type { Context } from '../../context.ts';
import { setAsideOperations as setAside } from '../../storage/set-aside-operations.ts';

/** Sets operations aside whose set could not be settled, so that they hold up no others; each is settled alone. */
export async function setAsideOperations(context: Context, operationIds: string[]): Promise<void> {
  await setAside(context.database, operationIds);
}

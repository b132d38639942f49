import type { Context } from '../../context.ts';
import { findSetAsideOperations } from '../../storage/set-aside-operations.ts';

const MOST_AT_ONCE = 1_000;

/** The operations that are set aside, the oldest first, up to 1,000. */
export async function listSetAsideOperations(context: Context): Promise<string[]> {
  return await findSetAsideOperations(context.database, MOST_AT_ONCE);
}

import type { Context } from '../../context.ts';
import { deleteOldKeys as deleteOld } from '../../storage/idempotency-keys.ts';

const MAX_KEYS = 1_000;

/** Deletes some idempotency keys that are older than 24 hours. */
export async function deleteOldKeys(context: Context): Promise<void> {
  await deleteOld(context.database, MAX_KEYS);
}

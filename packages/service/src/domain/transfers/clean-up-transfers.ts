import type { Context } from '../../context.ts';
import { deleteExpiredTransfers } from '../../storage/transfers.ts';

// One at a time, because a file can be large.
const LIMIT = 1;

/** Deletes an expired export or import with its file. Returns whether there may be more. */
export async function cleanUpTransfers({ transaction }: Context): Promise<boolean> {
  return (await transaction((tx) => deleteExpiredTransfers(tx, LIMIT))) === LIMIT;
}

import type { Context } from '../../context.ts';
import { eraseAddresses } from '../../storage/invitations.ts';
import { deleteOldMailCounts, findStalledMailQueues, startMailRun } from '../../storage/mails.ts';
import { deleteUnconfirmedReservations } from '../../storage/reservations.ts';
import { addMailJob } from '../mail-service.ts';

/**
 * Erases the addresses of invitations that ended long ago, deletes unconfirmed reservations and old counts, and adds the jobs that are missing. Returns
 * whether there may be more to erase.
 */
export async function cleanUpMails(context: Context): Promise<boolean> {
  const { database } = context;
  await deleteOldMailCounts(database);
  for (const communityId of await findStalledMailQueues(database)) {
    await startMailRun(database, communityId);
    await context.transaction((tx) => addMailJob(context, tx, { communityId }));
  }
  const isMoreUnconfirmed = await deleteUnconfirmedReservations(database);
  return (await eraseAddresses(database)) || isMoreUnconfirmed;
}

import type { Context } from '../../context.ts';
import { deleteExpiredEmailChallenges } from '../../storage/email-challenges.ts';
import { eraseAddresses } from '../../storage/invitations.ts';
import { deleteOldMailCounts } from '../../storage/mails.ts';
import { deleteRemovedRecipients } from '../../storage/recipients.ts';
import { deleteUnconfirmedReservations } from '../../storage/reservations.ts';

/**
 * Erases the addresses of invitations that ended long ago, and deletes people who were removed long ago,
 * unconfirmed reservations, expired challenges and old counts. Returns whether there may be more to erase.
 */
export async function cleanUpMails(context: Context): Promise<boolean> {
  const { database } = context;
  await deleteOldMailCounts(database);
  const isMoreUnconfirmed = await deleteUnconfirmedReservations(database);
  const isMoreChallenges = await deleteExpiredEmailChallenges(database);
  const isMoreRemoved = await deleteRemovedRecipients(database);
  return (await eraseAddresses(database)) || isMoreUnconfirmed || isMoreChallenges || isMoreRemoved;
}

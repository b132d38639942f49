import type { RequestError } from '@badge/protocol';
import type { DatabaseTransaction } from '../context.ts';
import { type CountedMail, countMailboxMails } from '../storage/mailboxes.ts';
import { Refusal } from './refusal.ts';

/** The most mails of each kind that a mailbox gets in 24 hours, from all communities together. */
export const MAX_MAILS_PER_DAY: Record<CountedMail, number> = { stranger: 3, repeated: 3 };

/** The most mails with a code to sign in that a mailbox gets in 15 minutes, and in 24 hours. */
export const MAX_SIGN_IN_MAILS = { maxPerQuarter: 3, maxPerDay: 10 };

/**
 * Counts mails to mailboxes, one for each hash. If a mailbox has got too many, counts none, and returns the
 * hashes of such mailboxes, with the seconds until they may get more.
 */
export async function countMails(
  tx: DatabaseTransaction,
  kind: CountedMail,
  mailboxHashes: Buffer[],
): Promise<{ mailboxHash: Buffer; seconds: number }[]> {
  return await countMailboxMails(tx, { kind, mailboxHashes, maxPerDay: MAX_MAILS_PER_DAY[kind] });
}

/**
 * The refusal to send again to a mailbox that has got too many mails. `errors` name the recipients, if there
 * are several.
 */
export function mailboxFull(seconds: number, errors?: RequestError[]): Refusal {
  return new Refusal(
    'RateLimited',
    `A mailbox gets at most ${MAX_MAILS_PER_DAY.repeated} mails in 24 hours by which invitations are sent again, or a person is invited to a token again. Retry after the number of seconds in Retry-After.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(seconds)), ...(errors === undefined ? {} : { errors }) },
  );
}

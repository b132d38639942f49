import type { RequestError } from '@badge/protocol';
import type { DatabaseTransaction } from '../context.ts';
import {
  type CountedMail,
  countMailboxMails,
  hasSignInMailsLeft,
  lockMailboxes,
} from '../storage/mailboxes.ts';
import { Refusal } from './refusal.ts';

/** The most mails of each kind that a mailbox gets in 24 hours, from all communities together. */
export const MAX_MAILS_PER_DAY: Record<CountedMail, number> = { stranger: 3, repeated: 3 };

// The most mails with a code to sign in that an address gets in 15 minutes and in 24 hours, and that go to a
// mailbox over all its spellings.
const MAX_SIGN_IN_MAILS = { maxPerQuarter: 3, maxPerDay: 10 };
const MAX_SIGN_IN_MAILS_PER_MAILBOX = { maxPerQuarter: 6, maxPerDay: 20 };

/**
 * Whether an address may get a mail with a code to sign in. The plain spelling of a mailbox has only the
 * limit of its own: who asks for mails to spellings with tags does not take the mails of its owner.
 */
export async function mayGetSignInMail(
  tx: DatabaseTransaction,
  { emailHash, mailboxHash }: { emailHash: Buffer; mailboxHash: Buffer },
): Promise<boolean> {
  await lockMailboxes(tx, [mailboxHash]);
  const ofAddress = { kind: 'signIn', hash: emailHash, ...MAX_SIGN_IN_MAILS } as const;
  if (!(await hasSignInMailsLeft(tx, ofAddress))) return false;
  if (emailHash.equals(mailboxHash)) return true;
  const ofMailbox = { kind: 'signInMailbox', hash: mailboxHash, ...MAX_SIGN_IN_MAILS_PER_MAILBOX } as const;
  return await hasSignInMailsLeft(tx, ofMailbox);
}

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

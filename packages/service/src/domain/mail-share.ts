import type { DatabaseTransaction } from '../context.ts';
import { countMail, type MailLimit, uncountMail } from '../storage/mails.ts';

// Invitations leave a fifth for what strangers ask for, who leave two fifths for invitations.
const INVITATIONS_PART = 4 / 5;
const OTHERS_PART = 3 / 5;

/** A part of the mails that a community may send. */
export function shareOf({ perHour, perDay }: MailLimit, part: number): MailLimit {
  return { perHour: Math.ceil(perHour * part), perDay: Math.ceil(perDay * part) };
}

/**
 * Counts a mail in the community's share, if there is a limit. Returns false if the share, or the part of its
 * kind, is used up.
 */
export async function countInShare(
  tx: DatabaseTransaction,
  limit: MailLimit | null,
  mail: { communityId: string; isInvitation: boolean },
): Promise<boolean> {
  if (limit === null) return true;
  const ofKind = shareOf(limit, mail.isInvitation ? INVITATIONS_PART : OTHERS_PART);
  return await countMail(tx, { ...mail, limit, ofKind });
}

/** Takes back the count of a mail that was not sent. */
export async function uncountInShare(
  tx: DatabaseTransaction,
  limit: MailLimit | null,
  mail: { communityId: string; isInvitation: boolean },
): Promise<void> {
  if (limit !== null) await uncountMail(tx, mail);
}

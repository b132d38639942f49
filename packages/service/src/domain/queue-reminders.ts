import { randomUUID } from 'node:crypto';
import { parseEmailAddress, type ReminderKind, type SkipReason } from '@badge/protocol';
import type { DatabaseTransaction } from '../context.ts';
import type { Actor } from '../storage/audit-log.ts';
import { findUnsubscribed, scheduleMails } from '../storage/mails.ts';
import { findRemindable, insertReminders, type NewReminder, type Remindable } from '../storage/reminders.ts';
import type { TokenSummaryRow } from '../storage/tokens.ts';
import { checkClaimLinkUsage } from './claim-links/read-usage.ts';
import { hashClaimCode, makeClaimCode } from './claim-links/rules.ts';
import { hashEmail, hashMailbox } from './invitations/rules.ts';
import type { MailContext } from './mail-service.ts';
import { countMails } from './mailbox-limits.ts';
import { decryptPerson } from './recipients/rules.ts';

/** What has become of people that were to be reminded. */
export interface QueuedReminders {
  people: { recipientId: string; reason: SkipReason | null }[];
  /** The place of the last one; null if there is none. */
  last: number | null;
  /** Whether the actor still had its right. If not, nobody is reminded. */
  isAllowed: boolean;
}

interface Addressee {
  person: Remindable;
  emailHash: Buffer;
  mailboxHash: Buffer;
}

/**
 * Queues reminders for those of the people who can be reminded now. The token must be locked. Throws if the
 * further links do not fit into the token or the quota.
 */
export async function queueReminders(
  context: MailContext,
  tx: DatabaseTransaction,
  actor: Actor,
  {
    token,
    kind,
    days,
    isDryRun = false,
    page,
  }: {
    token: Pick<TokenSummaryRow, 'token_id' | 'community_id'>;
    kind: ReminderKind;
    /** Of the setting that asks for them; null if somebody does. */
    days: number | null;
    /** Whether nobody is reminded. */
    isDryRun?: boolean;
    page: { recipientIds: string[] } | { after: number; limit: number };
  },
): Promise<QueuedReminders> {
  const { token_id: tokenId, community_id: communityId } = token;
  const found = await findRemindable(tx, { tokenId, kind, ...page });
  const addressees = found.flatMap((person) => toAddressee(context, person));
  const reasonOf = new Map(found.map(({ recipient_id, reason }) => [recipient_id, reason]));
  const willing = await dropUnwilling(tx, communityId, { addressees, reasonOf });
  const reminded = isDryRun ? [] : await dropFull(tx, { addressees: willing, reasonOf });
  const reminders = reminded.map((one) => toReminder(context, tokenId, one));
  const added = reminders.filter(({ link }) => link !== null).length;
  if (added > 0) await checkClaimLinkUsage(context, tx, { token, added });
  const isAllowed =
    reminders.length === 0 ||
    (await insertReminders(tx, actor, {
      tokenId,
      kind,
      days,
      publicUrl: context.settings.publicUrl,
      reminders,
    }));
  if (reminders.length > 0 && isAllowed) await scheduleMails(tx, { communityId });
  return {
    people: found.map(({ recipient_id: recipientId }) => ({
      recipientId,
      reason: reasonOf.get(recipientId) ?? null,
    })),
    last: found.at(-1)?.sequence ?? null,
    isAllowed,
  };
}

function toAddressee({ encryption }: MailContext, person: Remindable): Addressee[] {
  if (person.reason !== null) return [];
  const { email } = decryptPerson(encryption, person.contributor_key, {
    name: null,
    email: person.email,
    note: null,
  });
  const parsed = parseEmailAddress(email ?? '');
  if (typeof parsed === 'string') throw new Error(`recipient ${person.recipient_id} has no address`);
  return [{ person, emailHash: hashEmail(encryption, parsed), mailboxHash: hashMailbox(encryption, parsed) }];
}

interface Choice {
  addressees: Addressee[];
  reasonOf: Map<string, SkipReason | null>;
}

async function dropUnwilling(
  tx: DatabaseTransaction,
  communityId: string,
  { addressees, reasonOf }: Choice,
): Promise<Addressee[]> {
  const hashes = addressees.flatMap(({ emailHash, mailboxHash }) => [emailHash, mailboxHash]);
  const unsubscribed = toHexSet(await findUnsubscribed(tx, { communityId, hashes }));
  return addressees.filter(({ person, emailHash, mailboxHash }) => {
    const isUnsubscribed = [emailHash, mailboxHash].some((hash) => unsubscribed.has(hash.toString('hex')));
    if (isUnsubscribed) reasonOf.set(person.recipient_id, 'unsubscribed');
    return !isUnsubscribed;
  });
}

// A mailbox that has got too many mails today waits for another day.
async function dropFull(tx: DatabaseTransaction, { addressees, reasonOf }: Choice): Promise<Addressee[]> {
  let counted = addressees;
  for (;;) {
    const tooMany = await countMails(
      tx,
      'repeated',
      counted.map(({ mailboxHash }) => mailboxHash),
    );
    if (tooMany.length === 0) return counted;
    const full = toHexSet(tooMany.map(({ mailboxHash }) => mailboxHash));
    const isFull = ({ mailboxHash }: Addressee) => full.has(mailboxHash.toString('hex'));
    for (const { person } of counted.filter(isFull)) reasonOf.set(person.recipient_id, 'remindedRecently');
    counted = counted.filter((one) => !isFull(one));
  }
}

const toHexSet = (hashes: Buffer[]) => new Set(hashes.map((hash) => hash.toString('hex')));

function toReminder(
  { encryption }: MailContext,
  tokenId: number,
  { person, emailHash, mailboxHash }: Addressee,
): NewReminder {
  const reminderId = randomUUID();
  const code = makeClaimCode();
  const { claim_link_id: furtherOf, valid_until: validUntil } = person;
  return {
    recipientId: person.recipient_id,
    reminderId,
    mailId: randomUUID(),
    emailHash,
    mailboxHash,
    language: person.language ?? 'en',
    validUntil,
    link:
      furtherOf === null || person.is_owner
        ? null
        : {
            claimLinkId: randomUUID(),
            furtherOf,
            code: encryption.encrypt('claimCode', reminderId, code),
            codeHash: hashClaimCode(tokenId, code),
          },
  };
}

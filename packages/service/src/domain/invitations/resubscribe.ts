import { randomUUID } from 'node:crypto';
import { type MailLanguage, parseEmailAddress } from '@badge/protocol';
import type { Context, DatabaseTransaction } from '../../context.ts';
import { composeMail, toSender } from '../../mail/compose-mail.ts';
import { deleteUnsubscriptions, findNextHourDelay, findUnsubscribed } from '../../storage/mails.ts';
import { countReservationOfClient } from '../../storage/reservations.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { type MailContext, requireMail } from '../mail-service.ts';
import { countInShare } from '../mail-share.ts';
import { countMails } from '../mailbox-limits.ts';
import { Refusal } from '../refusal.ts';
import { limitRequestsOfClient } from '../reservations/rules.ts';
import {
  decryptRecipient,
  encryptRecipient,
  hashEmail,
  hashMailbox,
  makeResubscribeCode,
  readResubscribeCode,
} from './rules.ts';

const HOUR_MS = 3_600_000;
const RETRY_SECONDS = 60;

/** The mail with which the owner of an address undoes an unsubscription, as a job stores it. */
export interface ResubscriptionMail {
  mailId: string;
  /** Encrypted, in base64. */
  recipient: string;
  language: MailLanguage;
  publicUrl: string;
  requestedAtTimestamp: number;
  /** Whether the mail is counted already. */
  isCounted: boolean;
}

/**
 * Queues a mail with which the owner of an address undoes that it wants no mails of a community. A job decides whether it is
 * sent, so neither the response nor its time says whether the address is known.
 */
export async function requestResubscription(
  context: Context,
  {
    communityId,
    email: text,
    language,
    client,
  }: { communityId: string; email: string; language: MailLanguage; client: string },
): Promise<void> {
  await readCommunityRow(context, communityId);
  const { encryption, settings, jobs, mail } = requireMail(context);
  const email = parseEmailAddress(text);
  if (typeof email === 'string') throw new Refusal('InvalidRequest', `The address ${email}`);
  const mailId = randomUUID();
  const recipient = encryptRecipient(encryption, mailId, { email: email.address, name: null });
  const resubscription: ResubscriptionMail = {
    mailId,
    recipient: recipient.toString('base64'),
    language,
    publicUrl: settings.publicUrl,
    requestedAtTimestamp: Date.now(),
    isCounted: false,
  };
  await context.transaction(async (tx) => {
    const clientHash = encryption.hash('clientAddress', client);
    const seconds = await countReservationOfClient(tx, clientHash, limitRequestsOfClient(mail.limit));
    if (seconds !== null) {
      const retryAfterSeconds = Math.ceil(seconds);
      throw new Refusal('RateLimited', 'Too many mails were requested. Retry later.', { retryAfterSeconds });
    }
    await jobs.add(tx, 'mail', [{ group: communityId, data: { communityId, resubscription } }]);
  });
}

/** Sends such a mail, if the address wants no mails of the community. If it cannot be sent now, adds a job for later. */
export async function deliverResubscription(
  context: MailContext,
  communityId: string,
  resubscription: ResubscriptionMail,
  signal?: AbortSignal,
): Promise<void> {
  const { encryption, mail } = context;
  const { mailId, language, publicUrl, requestedAtTimestamp } = resubscription;
  if (Date.now() > requestedAtTimestamp + HOUR_MS) return;
  const { email: text } = decryptRecipient(
    encryption,
    mailId,
    Buffer.from(resubscription.recipient, 'base64'),
  );
  const email = parseEmailAddress(text);
  if (typeof email === 'string') return;
  const hashes = [hashEmail(encryption, email), hashMailbox(encryption, email)] as const;
  const decision = await context.transaction(async (tx) => {
    const unsubscribed = await findUnsubscribed(tx, { communityId, hashes: [...hashes] });
    if (unsubscribed.length === 0) return 'drop';
    const isAllowed =
      resubscription.isCounted || (await countMails(tx, 'stranger', [hashes[1]])).length === 0;
    if (!isAllowed) return 'drop';
    if (!(await countInShare(tx, mail.limit, { communityId, isInvitation: false }))) {
      await addAgain(tx, await findNextHourDelay(tx), { ...resubscription, isCounted: true });
      return 'drop';
    }
    return 'send';
  });
  if (decision === 'drop') return;
  const community = await readCommunityRow(context, communityId);
  const expiresAtTimestamp = requestedAtTimestamp + HOUR_MS;
  const code = makeResubscribeCode(encryption, { communityId, hashes: [...hashes], expiresAtTimestamp });
  const query = new URLSearchParams({ community: communityId, language, code });
  const composed = composeMail('resubscription', {
    language,
    name: null,
    community: community.name,
    headline: '',
    message: null,
    url: `${publicUrl}/unsubscribe?${query}`,
    wallet: null,
    expiresAt: null,
    timeZone: null,
    publicUrl,
    unsubscribeUrl: null,
  });
  const result = await mail.transport.withConnection(() =>
    mail.transport.send(
      {
        ...composed,
        mailId,
        from: toSender(mail.from, community.name, publicUrl),
        to: { name: '', address: email.address },
        picture: null,
        unsubscribeUrl: null,
      },
      signal,
    ),
  );
  context.countMail(result.kind);
  if (result.kind === 'sent' || result.kind === 'refused') return;
  await context.transaction((tx) => addAgain(tx, RETRY_SECONDS, { ...resubscription, isCounted: true }));

  async function addAgain(
    tx: DatabaseTransaction,
    startAfterSeconds: number,
    again: ResubscriptionMail,
  ): Promise<void> {
    const data = { communityId, resubscription: again };
    await context.jobs.add(tx, 'mail', [{ group: communityId, data, startAfterSeconds }]);
  }
}

/** Undoes that the owner of an address wants no mails of a community, with the code of the mail. Doing it twice changes nothing. */
export async function resubscribe(
  context: Context,
  { communityId, code }: { communityId: string; code: string },
): Promise<void> {
  await readCommunityRow(context, communityId);
  const hashes = checkResubscribeCode(context, { communityId, code });
  await deleteUnsubscriptions(context.database, { communityId, hashes });
}

/** Throws unless the service has made the code for the community within the last hour. */
export function checkResubscribeCode(
  { encryption }: Context,
  { communityId, code }: { communityId: string; code: string },
): Buffer[] {
  const hashes =
    encryption && readResubscribeCode(encryption, { communityId, code, nowTimestamp: Date.now() });
  if (!hashes)
    throw new Refusal(
      'ConfirmationCodeInvalid',
      'The code is wrong, or older than an hour. Request the mail again.',
    );
  return hashes;
}

import { randomUUID } from 'node:crypto';
import { type MailLanguage, parseEmailAddress } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { composeMail, NO_TOKEN, toSender } from '../../mail/compose-mail.ts';
import {
  deleteUnsubscriptions,
  findNextHourDelay,
  findUnsubscribed,
  scheduleMails,
} from '../../storage/mails.ts';
import { countReservationOfClient } from '../../storage/reservations.ts';
import {
  deleteResubscriptionMail,
  insertResubscriptionMail,
  leaseResubscriptionMail,
  postponeResubscriptionMail,
} from '../../storage/resubscription-mails.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { type MailContext, requireMail } from '../mail-service.ts';
import { countInShare } from '../mail-share.ts';
import { countMails } from '../mailbox-limits.ts';
import { Refusal } from '../refusal.ts';
import { limitRequestsOfClient } from '../reservations/rules.ts';
import { hashEmail, hashMailbox, makeResubscribeCode, readResubscribeCode } from './rules.ts';

const HOUR_MS = 3_600_000;
const RETRY_SECONDS = 60;

/**
 * Queues a mail with which the owner of an address undoes that it wants no mails of a community. A worker
 * decides whether it is sent, so neither the response nor its time says whether the address is known.
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
  const { encryption, settings, mail } = requireMail(context);
  const email = parseEmailAddress(text);
  if (typeof email === 'string') throw new Refusal('InvalidRequest', `The address ${email}`);
  const mailId = randomUUID();
  const recipient = encryption.encrypt('emailAddress', mailId, email.address);
  await context.transaction(async (tx) => {
    const clientHash = encryption.hash('clientAddress', client);
    const seconds = await countReservationOfClient(tx, clientHash, limitRequestsOfClient(mail.limit));
    if (seconds !== null) {
      const retryAfterSeconds = Math.ceil(seconds);
      throw new Refusal('RateLimited', 'Too many mails were requested. Retry later.', { retryAfterSeconds });
    }
    const { publicUrl } = settings;
    await insertResubscriptionMail(tx, { mailId, communityId, recipient, language, publicUrl });
    await scheduleMails(tx, { communityId });
  });
}

/**
 * Sends the next such mail of a community that is due, if its address wants no mails of the community.
 * Returns whether there was one. Each is sent at least once.
 */
export async function deliverNextResubscription(
  context: MailContext,
  communityId: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const { encryption, mail } = context;
  const due = await leaseResubscriptionMail(context.database, communityId);
  if (due === undefined) return false;
  const mailId = due.mail_id;
  // After an hour, the code would be useless. Even a mail that cannot be decrypted ends then.
  const email = due.is_late
    ? undefined
    : parseEmailAddress(encryption.decrypt('emailAddress', mailId, due.recipient));
  if (email === undefined || typeof email === 'string') {
    await deleteResubscriptionMail(context.database, mailId);
    return true;
  }
  const hashes = [hashEmail(encryption, email), hashMailbox(encryption, email)] as const;
  const maySend = await context.transaction(async (tx) => {
    const unsubscribed = await findUnsubscribed(tx, { communityId, hashes: [...hashes] });
    // A mail that is counted already is not counted again.
    const isWanted =
      unsubscribed.length > 0 &&
      (due.is_counted || (await countMails(tx, 'stranger', [hashes[1]])).length === 0);
    if (!isWanted) {
      await deleteResubscriptionMail(tx, mailId);
      return false;
    }
    if (await countInShare(tx, mail.limit, { communityId, isInvitation: false })) return true;
    await postponeResubscriptionMail(tx, mailId, await findNextHourDelay(tx));
    return false;
  });
  if (!maySend) return true;
  const community = await readCommunityRow(context, communityId);
  const expiresAtTimestamp = due.requested_at.getTime() + HOUR_MS;
  const code = makeResubscribeCode(encryption, { communityId, hashes: [...hashes], expiresAtTimestamp });
  const query = new URLSearchParams({ community: communityId, language: due.language, code });
  const composed = composeMail('resubscription', {
    ...NO_TOKEN,
    language: due.language,
    community: community.name,
    url: `${due.public_url}/unsubscribe?${query}`,
    publicUrl: due.public_url,
  });
  const result = await mail.transport.withConnection(() =>
    mail.transport.send(
      {
        ...composed,
        mailId,
        from: toSender(mail.from, community.name, due.public_url),
        to: { name: '', address: email.address },
        picture: null,
        unsubscribeUrl: null,
      },
      signal,
    ),
  );
  context.count.mail(result.kind);
  await context.transaction(async (tx) => {
    if (result.kind === 'sent' || result.kind === 'refused') await deleteResubscriptionMail(tx, mailId);
    else await postponeResubscriptionMail(tx, mailId, RETRY_SECONDS);
  });
  return true;
}

/**
 * Undoes that the owner of an address wants no mails of a community, with the code of the mail. Doing it
 * twice changes nothing.
 */
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

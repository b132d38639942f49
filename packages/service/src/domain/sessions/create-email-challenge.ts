import { randomUUID } from 'node:crypto';
import { type CreateEmailChallengeBody, type EmailChallenge, parseEmailAddress } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { insertEmailChallenge } from '../../storage/email-challenges.ts';
import { NO_COMMUNITY, scheduleMails } from '../../storage/mails.ts';
import { countReservationOfClient, findSignInPause } from '../../storage/reservations.ts';
import { makeShortCode } from '../claim-links/rules.ts';
import { hashEmail, hashMailbox } from '../invitations/rules.ts';
import { requireKeptAddresses } from '../kept-addresses.ts';
import { requireMail } from '../mail-service.ts';
import { rateLimited } from '../refusal.ts';
import { limitRequestsOfClient } from '../reservations/rules.ts';
import { hashSignInCode } from './rules.ts';

/**
 * Makes a challenge for an e-mail address, and queues the mail with its code. It reads nothing about the
 * address: a worker decides whether the mail is sent, and counts it then for all clients together. So neither
 * the response nor its time says whether anybody knows the address, and requests alone do not use up what
 * others need.
 */
export async function createEmailChallenge(
  context: Context,
  { email: text, language, returnPath }: CreateEmailChallengeBody,
  client: string,
): Promise<EmailChallenge> {
  const { encryption, settings, mail } = requireMail(context);
  requireKeptAddresses(context);
  const email = parseEmailAddress(text);
  if (typeof email === 'string') throw new Error('the address was not checked');
  const challengeId = randomUUID();
  const code = makeShortCode();
  const query = returnPath == null ? '' : `?${new URLSearchParams({ to: returnPath })}`;
  const emailHash = hashEmail(encryption, email);
  const expiresAt = await context.transaction(async (tx) => {
    // Another text than that of reservations, so that these count apart.
    const clientHash = encryption.hash('clientAddress', `sign-in ${client}`);
    const ofClient = await countReservationOfClient(tx, clientHash, limitRequestsOfClient(mail.limit));
    if (ofClient !== null) throw tooMany('requested from this client address', ofClient);
    const ofAll = mail.limit === null ? null : await findSignInPause(tx, mail.limit);
    if (ofAll !== null) throw tooMany('sent by this service', ofAll);
    const inserted = await insertEmailChallenge(tx, {
      challengeId,
      email: encryption.encrypt('emailAddress', challengeId, email.address),
      emailHash,
      mailboxHash: hashMailbox(encryption, email),
      codeHash: hashSignInCode(encryption, emailHash, code),
      mailId: randomUUID(),
      language: language ?? 'en',
      link: encryption.encrypt('signInCode', challengeId, `${settings.publicUrl}/sign-in${query}#${code}`),
    });
    await scheduleMails(tx, { communityId: NO_COMMUNITY });
    return inserted;
  });
  return { challengeId, expiresAtTimestamp: expiresAt.getTime() };
}

const tooMany = (how: string, pauseSeconds: number) =>
  rateLimited(`Too many sign-in mails were ${how}.`, pauseSeconds);

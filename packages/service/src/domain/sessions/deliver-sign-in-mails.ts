import { composeMail, NO_TOKEN, toSender } from '../../mail/compose-mail.ts';
import { MAX_CONNECTIONS } from '../../mail/mail-transport.ts';
import {
  finishSignInMail,
  leaseSignInMail,
  noteMailedCode,
  postponeSignInMail,
  type SignInMail,
} from '../../storage/email-challenges.ts';
import { countSignInMail } from '../../storage/mailboxes.ts';
import { countSignInMailOfAll } from '../../storage/reservations.ts';
import { MAIL_TURN_MS, type MailContext } from '../mail-service.ts';
import { mayGetSignInMail } from '../mailbox-limits.ts';

const RETRY_SECONDS = 30;

/**
 * Sends the mails with which people sign in, until none is due or the time of a turn is over. Each is sent at
 * least once.
 */
export async function deliverSignInMails(context: MailContext, signal: AbortSignal): Promise<void> {
  const endAtMs = performance.now() + MAIL_TURN_MS;
  async function deliverUntilEnd(): Promise<void> {
    while (!signal.aborted && performance.now() < endAtMs && (await deliverNext(context, signal)));
  }
  const runs = await Promise.allSettled(Array.from({ length: MAX_CONNECTIONS }, deliverUntilEnd));
  const failed = runs.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

// Returns whether a mail was due.
async function deliverNext(context: MailContext, signal: AbortSignal): Promise<boolean> {
  const { database, mail } = context;
  return await mail.transport.withConnection(async () => {
    const due = await leaseSignInMail(database);
    if (due === undefined) return false;
    const { challenge_id: challengeId } = due;
    // A useless mail ends even if it cannot be decrypted.
    const isEnded = due.is_useless || !(await begin(context, due));
    const result = isEnded ? null : await mail.transport.send(writeMail(context, due), signal);
    if (result !== null) context.count.mail(result.kind);
    if (result?.kind === 'deferred' || result?.kind === 'unavailable') {
      await postponeSignInMail(database, { challengeId, delaySeconds: RETRY_SECONDS });
    } else await finishSignInMail(database, challengeId);
    return true;
  });
}

// Returns whether the mail may be sent. Its code is valid from now on, and so for at least as long as the
// mail counts in the limit for 15 minutes of its address: who is at this limit has a code.
async function begin(context: MailContext, due: SignInMail): Promise<boolean> {
  const { mail } = context;
  const hashes = { emailHash: due.email_hash, mailboxHash: due.mailbox_hash };
  return await context.transaction(async (tx) => {
    if (!due.is_counted) {
      if (!(await mayGetSignInMail(tx, hashes))) return false;
      // Only a mail that is sent counts for all clients. Otherwise three of them could stop the sign-in of
      // everybody with requests for one address.
      if (mail.limit !== null && (await countSignInMailOfAll(tx, mail.limit)) !== null) return false;
      await countSignInMail(tx, hashes);
    }
    await noteMailedCode(tx, due.challenge_id);
    return true;
  });
}

function writeMail({ encryption, mail }: MailContext, due: SignInMail) {
  const { challenge_id: challengeId, language } = due;
  const url = encryption.decrypt('signInCode', challengeId, due.link);
  const { origin, hash } = new URL(url);
  const composed = composeMail('signIn', {
    ...NO_TOKEN,
    language,
    community: '',
    url,
    code: hash.slice(1),
    publicUrl: origin,
  });
  return {
    ...composed,
    mailId: due.mail_id,
    from: toSender(mail.from, null, origin),
    to: { name: '', address: encryption.decrypt('emailAddress', challengeId, due.email) },
    picture: null,
    unsubscribeUrl: null,
  };
}

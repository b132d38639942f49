import type { Context } from '../context.ts';
import { Refusal } from './refusal.ts';

/** How long a turn lasts in which mails are sent. Its lease is longer. */
export const MAIL_TURN_MS = 20_000;

/** The parts of the context that mails need. */
export type MailContext = Context & {
  mail: NonNullable<Context['mail']>;
  encryption: NonNullable<Context['encryption']>;
};

/** Whether this process can encrypt addresses and send mails. */
export function hasMail(context: Context): context is MailContext {
  return context.mail !== null && context.encryption !== null;
}

/** Returns the context if mails can be sent, otherwise throws. */
export function requireMail(context: Context): MailContext {
  if (hasMail(context)) return context;
  throw new Refusal(
    'MailUnavailable',
    context.encryption === null
      ? 'The service has no key to encrypt addresses with. The operator must set BADGE_ENCRYPTION_KEY_FILE.'
      : 'The service has no mail server. The operator must set BADGE_SMTP_URL and BADGE_MAIL_FROM.',
  );
}

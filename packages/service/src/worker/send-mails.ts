import type { Context } from '../context.ts';
import { createMailDeliverer } from '../domain/invitations/deliver-mails.ts';
import { hasMail } from '../domain/mail-service.ts';
import { takeMailTurns } from '../storage/mails.ts';
import type { Loop } from './loop.ts';
import { startTurns } from './take-turns.ts';

// One worker at a time sends the mails of a community, and all turns share the connections to the mail server.
const CONCURRENCY = 4;

/** Sends the queued mails until it is stopped. Returns null if this process can send none. */
export function startSendingMails(context: Context): Loop | null {
  if (!hasMail(context)) return null;
  return startTurns(context, {
    queue: 'mails',
    concurrency: CONCURRENCY,
    take: (limit) => takeMailTurns(context.database, limit),
    run: createMailDeliverer(context),
  });
}

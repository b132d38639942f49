import type { Context } from '../context.ts';
import { createMailDeliverer } from '../domain/invitations/deliver-mails.ts';
import { deliverResubscription, type ResubscriptionMail } from '../domain/invitations/resubscribe.ts';
import { hasMail } from '../domain/mail-service.ts';
import type { Loop } from './loop.ts';
import { startJobs } from './work-jobs.ts';

// Each community is sent by one job at a time, and all jobs share the connections to the mail server.
const CONCURRENCY = 4;

/** Sends the due mails of a community, or one mail that belongs to no token. */
interface MailJob {
  communityId: string;
  resubscription?: ResubscriptionMail;
}

/** Sends the queued mails until it is stopped. Returns null if this process can send none. */
export function startSendingMails(context: Context): Loop | null {
  if (!hasMail(context)) return null;
  const deliver = createMailDeliverer(context);
  return startJobs(context, {
    queue: 'mail',
    concurrency: CONCURRENCY,
    perGroup: 1,
    handle: ({ data }, signal) => {
      const { communityId, resubscription } = data as MailJob;
      return resubscription === undefined
        ? deliver(communityId, signal)
        : deliverResubscription(context, communityId, resubscription, signal);
    },
  });
}

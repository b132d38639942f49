import type { Context } from '../context.ts';
import { createMailDeliverer } from '../domain/invitations/deliver-mails.ts';
import { deliverNextResubscription } from '../domain/invitations/resubscribe.ts';
import { hasMail, type MailContext } from '../domain/mail-service.ts';
import { deliverSignInMails } from '../domain/sessions/deliver-sign-in-mails.ts';
import { NO_COMMUNITY, takeDueCommunities } from '../storage/mails.ts';
import type { Loop } from './loop.ts';
import { startTurns } from './serve-turns.ts';

// One worker at a time sends the mails of a community, and all turns share the connections to the mail
// server.
const CONCURRENCY = 4;

/** Sends the queued mails until it is stopped. Returns null if this process can send none. */
export function startSendingMails(context: Context): Loop | null {
  if (!hasMail(context)) return null;
  const deliver = createMailDeliverer(context);
  return startTurns(context, {
    queue: 'mails',
    concurrency: CONCURRENCY,
    firstPauseMs: 400,
    take: (limit) => takeDueCommunities(context.database, limit),
    async run(communityId, signal) {
      const requested =
        communityId === NO_COMMUNITY
          ? deliverSignInMails(context, signal)
          : deliverResubscriptions(context, communityId, signal);
      // One that fails does not keep back the others.
      await requested.catch((error: unknown) =>
        context.log.warn({ err: error, communityId }, 'a mail could not be sent, and is tried again'),
      );
      await deliver(communityId, signal);
    },
  });
}

async function deliverResubscriptions(
  context: MailContext,
  communityId: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && (await deliverNextResubscription(context, communityId, signal)));
}

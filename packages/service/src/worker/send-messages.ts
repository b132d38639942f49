import type { Context } from '../context.ts';
import { deliverWebhook } from '../domain/webhooks/deliver-webhook.ts';
import { takeDueWebhooks } from '../storage/webhook-deliveries.ts';
import { startLookingUpNames } from './look-up-names.ts';
import type { Loop } from './loop.ts';
import { startSendingMails } from './send-mails.ts';
import { startTurns } from './serve-turns.ts';

// A webhook sends up to 4 requests at a time. docs/api.md states what this gives for a community.
const CONCURRENT_WEBHOOKS = 32;
const WEBHOOKS_PER_COMMUNITY = 4;

/**
 * Sends webhooks and mails, and looks up names, until it is stopped. `wake` says that there are events to
 * send.
 */
export function startSendingMessages(context: Context): Loop {
  const webhooks = startWebhooks(context);
  const mails = startSendingMails(context);
  const names = startLookingUpNames(context);
  return {
    wake: () => webhooks?.wake(),
    stop: async () => {
      await Promise.all([webhooks?.stop(), mails?.stop(), names?.stop()]);
    },
  };
}

function startWebhooks(context: Context): Loop | undefined {
  // Another process may have the key.
  if (context.encryption === null) return undefined;
  return startTurns(context, {
    queue: 'webhooks',
    concurrency: CONCURRENT_WEBHOOKS,
    firstPauseMs: 300,
    take: (limit) => takeDueWebhooks(context.database, { limit, perCommunity: WEBHOOKS_PER_COMMUNITY }),
    run: (webhook, signal) => deliverWebhook(context, webhook, signal),
  });
}

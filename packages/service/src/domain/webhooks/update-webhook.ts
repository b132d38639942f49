import type { UpdateWebhookBody, Webhook } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { sendWaitingDeliveries } from '../../storage/webhook-deliveries.ts';
import { updateWebhook as updateStoredWebhook, type WebhookKey } from '../../storage/webhooks.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { readWebhookRow } from './read-webhook.ts';
import { toWebhook, webhookNotFound } from './rules.ts';

/** Changes a webhook. With `isEnabled: true`, what waits for its next attempt is sent now. */
export async function updateWebhook(
  context: Context,
  caller: Caller,
  { body: changes, ...key }: WebhookKey & { body: UpdateWebhookBody },
): Promise<Webhook> {
  await readWebhookRow(context, caller, key);
  return await context.transaction(async (tx) => {
    const row = await updateStoredWebhook(tx, toActor(caller), { ...key, changes });
    if (row === undefined) {
      await checkMayStillWrite(tx, caller, key.communityId);
      throw webhookNotFound();
    }
    if (changes.isEnabled) await sendWaitingDeliveries(tx, context.jobs, row.webhook_id);
    return toWebhook(row);
  });
}

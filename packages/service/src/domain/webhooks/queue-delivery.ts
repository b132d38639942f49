import type { QueuedWebhookDelivery } from '@badge/protocol';
import type { Context, RecordResponse } from '../../context.ts';
import { insertDelivery } from '../../storage/webhook-deliveries.ts';
import { findWebhook, type WebhookKey } from '../../storage/webhooks.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { isUuid } from '../ids.ts';
import { Refusal } from '../refusal.ts';
import { readWebhookRow } from './read-webhook.ts';
import { webhookDisabled, webhookNotFound } from './rules.ts';

/**
 * Sends a test event to a webhook, or the event of an earlier delivery once more. Neither is in the feed
 * again.
 */
export async function queueDelivery(
  context: Context,
  caller: Caller,
  {
    of,
    recordResponse,
    ...key
  }: WebhookKey & { of: 'test' | { deliveryId: string }; recordResponse: RecordResponse | undefined },
): Promise<QueuedWebhookDelivery> {
  await readWebhookRow(context, caller, key);
  if (of !== 'test' && !isUuid(of.deliveryId)) throw deliveryNotFound();
  return await context.transaction(async (tx) => {
    const deliveryId = await insertDelivery(tx, toActor(caller), { ...key, of });
    if (deliveryId === undefined) {
      await checkMayStillWrite(tx, caller, key.communityId);
      const webhook = await findWebhook(tx, key);
      if (webhook === undefined) throw webhookNotFound();
      throw webhook.is_enabled && webhook.maker_left_at === null
        ? deliveryNotFound()
        : webhookDisabled(webhook);
    }
    const queued = { deliveryId };
    await recordResponse?.(tx, queued);
    return queued;
  });
}

function deliveryNotFound(): Refusal {
  return new Refusal(
    'WebhookDeliveryNotFound',
    'The webhook has no delivery with this id, or its event is not kept any more.',
  );
}

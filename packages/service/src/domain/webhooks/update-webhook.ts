import type { UpdateWebhookBody, Webhook } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { sendWaitingDeliveries } from '../../storage/webhook-deliveries.ts';
import {
  findWebhook,
  updateWebhook as updateStoredWebhook,
  type WebhookKey,
} from '../../storage/webhooks.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { readWebhookRow } from './read-webhook.ts';
import { encryptionUnavailable, toWebhook, webhookDisabled, webhookNotFound } from './rules.ts';

/** Changes a webhook. With `isEnabled: true`, what waits for its next attempt is sent now. */
export async function updateWebhook(
  context: Context,
  caller: Caller,
  { body, ...key }: WebhookKey & { body: UpdateWebhookBody },
): Promise<Webhook> {
  const { webhook_id: webhookId } = await readWebhookRow(context, caller, key);
  const { encryption } = context;
  const { url, ...others } = body;
  if (url !== undefined && encryption === null) throw encryptionUnavailable();
  const encryptedUrl = url === undefined ? undefined : encryption?.encrypt('webhookUrl', webhookId, url);
  const changes = { ...others, encryptedUrl };
  return await context.transaction(async (tx) => {
    const row = await updateStoredWebhook(tx, toActor(caller), { ...key, changes });
    if (row === undefined) {
      await checkMayStillWrite(tx, caller, key.communityId);
      const webhook = await findWebhook(tx, key);
      throw webhook === undefined ? webhookNotFound() : webhookDisabled(webhook);
    }
    if (body.isEnabled) await sendWaitingDeliveries(tx, context.jobs, row.webhook_id);
    return toWebhook(context, row);
  });
}

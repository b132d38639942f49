import type { UpdateWebhookBody, Webhook } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { lockCommunity } from '../../storage/communities.ts';
import { sendWaitingDeliveries } from '../../storage/webhook-deliveries.ts';
import {
  lockWebhook,
  updateWebhook as updateStoredWebhook,
  type WebhookKey,
  type WebhookRow,
} from '../../storage/webhooks.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { requireEncryption } from '../require-encryption.ts';
import { readWebhookRow } from './read-webhook.ts';
import { decryptOrNull, toWebhook, webhookDisabled, webhookNotFound } from './rules.ts';

/**
 * Changes a webhook. With another URL, it is the caller's from now on, so it stops when the caller leaves.
 * With `isEnabled: true`, what waits for its next attempt is sent now.
 */
export async function updateWebhook(
  context: Context,
  caller: Caller,
  { body, ...key }: WebhookKey & { body: UpdateWebhookBody },
): Promise<Webhook> {
  const { webhook_id: webhookId } = await readWebhookRow(context, caller, key);
  const { encryption } = context;
  const { url, ...others } = body;
  const urlOf = (webhook: WebhookRow) =>
    encryption && decryptOrNull(encryption, 'webhookUrl', webhookId, webhook.encrypted_url);
  if (url !== undefined) requireEncryption(context);
  return await context.transaction(async (tx) => {
    await lockCommunity(tx, key.communityId);
    const webhook = await lockWebhook(tx, key);
    // Who sends the present URL again has not chosen it, and does not become the maker.
    const isOtherUrl = url !== undefined && webhook !== undefined && urlOf(webhook) !== url;
    const encryptedUrl = isOtherUrl ? encryption?.encrypt('webhookUrl', webhookId, url) : undefined;
    const changes = { ...others, encryptedUrl };
    const row = await updateStoredWebhook(tx, toActor(caller), { ...key, changes });
    if (row === undefined) {
      await checkMayStillWrite(tx, caller, key.communityId);
      throw webhook === undefined ? webhookNotFound() : webhookDisabled(webhook);
    }
    if (body.isEnabled) await sendWaitingDeliveries(tx, row.webhook_id);
    return toWebhook(context, row);
  });
}

import type { Context } from '../../context.ts';
import { deleteWebhook as deleteStoredWebhook, type WebhookKey } from '../../storage/webhooks.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { readWebhookRow } from './read-webhook.ts';
import { webhookNotFound } from './rules.ts';

/** Deletes a webhook. Requests that are being sent meanwhile end as usual. */
export async function deleteWebhook(context: Context, caller: Caller, key: WebhookKey): Promise<void> {
  await readWebhookRow(context, caller, key);
  if (await deleteStoredWebhook(context.database, toActor(caller), key)) return;
  await checkMayStillWrite(context.database, caller, key.communityId);
  throw webhookNotFound();
}

import type { Context } from '../../context.ts';
import { lockCommunity } from '../../storage/communities.ts';
import {
  deleteWebhook as deleteStoredWebhook,
  lockWebhook,
  type WebhookKey,
} from '../../storage/webhooks.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { readWebhookRow } from './read-webhook.ts';
import { webhookNotFound } from './rules.ts';

/** Deletes a webhook. Requests that are being sent meanwhile end as usual. */
export async function deleteWebhook(context: Context, caller: Caller, key: WebhookKey): Promise<void> {
  await readWebhookRow(context, caller, key);
  await context.transaction(async (tx) => {
    await lockCommunity(tx, key.communityId);
    await lockWebhook(tx, key);
    if (await deleteStoredWebhook(tx, toActor(caller), key)) return;
    await checkMayStillWrite(tx, caller, key.communityId);
    throw webhookNotFound();
  });
}

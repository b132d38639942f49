import type { Context } from '../../context.ts';
import { findWebhook, type WebhookKey, type WebhookRow } from '../../storage/webhooks.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { isUuid } from '../ids.ts';
import { webhookNotFound } from './rules.ts';

/** Reads a webhook that the caller may use. */
export async function readWebhookRow(context: Context, caller: Caller, key: WebhookKey): Promise<WebhookRow> {
  await readCommunityRow(context, key.communityId);
  await checkMayActFor(context, caller, key.communityId);
  const row = isUuid(key.webhookId) ? await findWebhook(context.database, key) : undefined;
  if (row === undefined) throw webhookNotFound();
  return row;
}

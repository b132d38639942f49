import type { WebhookWithSecret } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { findWebhook, findWebhookSecret, type WebhookKey, type WebhookRow } from '../../storage/webhooks.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { isUuid } from '../ids.ts';
import { encryptionUnavailable, toWebhook, webhookNotFound } from './rules.ts';

/** Reads a webhook that the caller may use. */
export async function readWebhookRow(context: Context, caller: Caller, key: WebhookKey): Promise<WebhookRow> {
  await readCommunityRow(context, key.communityId);
  await checkMayActFor(context, caller, key.communityId);
  const row = isUuid(key.webhookId) ? await findWebhook(context.database, key) : undefined;
  if (row === undefined) throw webhookNotFound();
  return row;
}

/** Reads a webhook with its present secret, for a repeated request whose first response may have been lost. */
export async function readWebhookWithSecret(
  context: Context,
  caller: Caller,
  key: WebhookKey,
): Promise<WebhookWithSecret> {
  const row = await readWebhookRow(context, caller, key);
  if (context.encryption === null) throw encryptionUnavailable();
  const encrypted = await findWebhookSecret(context.database, key);
  if (encrypted === undefined) throw webhookNotFound();
  return {
    ...toWebhook(context, row),
    secret: context.encryption.decrypt('webhookSecret', row.webhook_id, encrypted),
  };
}

import type { WebhookWithSecret } from '@badge/protocol';
import type { Context } from '../../context.ts';
import {
  findOwnWebhookSecret,
  findWebhook,
  type WebhookKey,
  type WebhookRow,
} from '../../storage/webhooks.ts';
import { type Caller, checkMayActFor, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { isUuid } from '../ids.ts';
import { Refusal } from '../refusal.ts';
import { requireEncryption } from '../require-encryption.ts';
import { secretIdOf, toWebhook, webhookNotFound } from './rules.ts';

/** Reads a webhook that the caller may use. */
export async function readWebhookRow(context: Context, caller: Caller, key: WebhookKey): Promise<WebhookRow> {
  await readCommunityRow(context, key.communityId);
  await checkMayActFor(context, caller, key.communityId);
  const row = isUuid(key.webhookId) ? await findWebhook(context.database, key) : undefined;
  if (row === undefined) throw webhookNotFound();
  return row;
}

/**
 * Reads a webhook with its secret, for a repeated request whose first response may have been lost. Throws if
 * the secret is not the one that this request has made, or if the webhook is no longer the caller's.
 */
export async function readWebhookWithSecret(
  context: Context,
  caller: Caller,
  { secretId, ...key }: WebhookKey & { secretId: string | undefined },
): Promise<WebhookWithSecret> {
  const row = await readWebhookRow(context, caller, key);
  const encryption = requireEncryption(context);
  const encrypted = await findOwnWebhookSecret(context.database, toActor(caller), key);
  if (encrypted === undefined || secretIdOf(encrypted) !== secretId) {
    throw new Refusal(
      'SecretNotRepeated',
      `The request was executed before, and its secret is not repeated: the webhook ${row.webhook_id} has got another secret or another maker since. Give it a new secret if you need one.`,
    );
  }
  return {
    ...toWebhook(context, row),
    secret: encryption.decrypt('webhookSecret', row.webhook_id, encrypted),
  };
}

import type { WebhookWithSecret } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { rotateWebhookSecret as rotateStoredSecret, type WebhookKey } from '../../storage/webhooks.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { readWebhookRow } from './read-webhook.ts';
import { encryptionUnavailable, makeWebhookSecret, toWebhook, webhookNotFound } from './rules.ts';

/** Gives a webhook a new secret. For a day, requests are also signed with the present one. */
export async function rotateWebhookSecret(
  context: Context,
  caller: Caller,
  key: WebhookKey,
): Promise<WebhookWithSecret> {
  const { encryption, database } = context;
  await readWebhookRow(context, caller, key);
  if (encryption === null) throw encryptionUnavailable();
  const secret = makeWebhookSecret();
  const encryptedSecret = encryption.encrypt('webhookSecret', key.webhookId.toLowerCase(), secret);
  const row = await rotateStoredSecret(database, toActor(caller), { ...key, encryptedSecret });
  if (row !== undefined) return { ...toWebhook(row), secret };
  await checkMayStillWrite(database, caller, key.communityId);
  throw webhookNotFound();
}

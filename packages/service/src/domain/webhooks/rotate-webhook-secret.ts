import type { WebhookWithSecret } from '@badge/protocol';
import type { Context, Repetition } from '../../context.ts';
import { lockCommunity } from '../../storage/communities.ts';
import { resumeWebhook } from '../../storage/webhook-deliveries.ts';
import {
  lockWebhook,
  rotateWebhookSecret as rotateStoredSecret,
  type WebhookKey,
} from '../../storage/webhooks.ts';
import { type Caller, checkMayStillWrite, toActor } from '../caller.ts';
import { requireEncryption } from '../require-encryption.ts';
import { readWebhookRow, readWebhookWithSecret } from './read-webhook.ts';
import { makeWebhookSecret, secretIdOf, toWebhook, webhookNotFound } from './rules.ts';

/**
 * Gives a webhook a new secret. For a day, requests are also signed with the present one. The webhook is the
 * caller's from now on: if it has stopped because its maker has left, it goes on. A repeated request with the
 * same `Idempotency-Key` reads the secret that it has made: another rotation would end the one that receivers
 * still know.
 */
export async function rotateWebhookSecret(
  context: Context,
  caller: Caller,
  { repetition, ...key }: WebhookKey & { repetition: Repetition | undefined },
): Promise<WebhookWithSecret> {
  if (repetition && repetition.earlierIds !== null) {
    return await readWebhookWithSecret(context, caller, { ...key, secretId: repetition.earlierIds[1] });
  }
  await readWebhookRow(context, caller, key);
  const encryption = requireEncryption(context);
  const secret = makeWebhookSecret();
  const encryptedSecret = encryption.encrypt('webhookSecret', key.webhookId.toLowerCase(), secret);
  return await context.transaction(async (tx) => {
    await lockCommunity(tx, key.communityId);
    await lockWebhook(tx, key);
    const row = await rotateStoredSecret(tx, toActor(caller), { ...key, encryptedSecret });
    if (row === undefined) {
      await checkMayStillWrite(tx, caller, key.communityId);
      throw webhookNotFound();
    }
    await resumeWebhook(tx, row.webhook_id);
    await repetition?.record(tx, [row.webhook_id, secretIdOf(encryptedSecret)]);
    return { ...toWebhook(context, row), secret };
  });
}

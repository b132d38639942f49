import { randomUUID } from 'node:crypto';
import { type CreateWebhookBody, LIMITS, type WebhookWithSecret } from '@badge/protocol';
import type { Context, Repetition } from '../../context.ts';
import { lockCommunity } from '../../storage/communities.ts';
import { countWebhooks, insertWebhook } from '../../storage/webhooks.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { Refusal } from '../refusal.ts';
import { requireEncryption } from '../require-encryption.ts';
import { readWebhookWithSecret } from './read-webhook.ts';
import { makeWebhookSecret, secretIdOf, toWebhook } from './rules.ts';

/**
 * Creates a webhook. Only the returned object contains the secret in plain text; the service stores it
 * encrypted. A repeated request with the same `Idempotency-Key` reads the webhook of the first one, with the
 * secret that it has made.
 */
export async function createWebhook(
  context: Context,
  caller: Caller,
  {
    communityId,
    body,
    repetition,
  }: { communityId: string; body: CreateWebhookBody; repetition: Repetition | undefined },
): Promise<WebhookWithSecret> {
  const [earlierId, secretId] = repetition?.earlierIds ?? [];
  if (earlierId !== undefined) {
    return await readWebhookWithSecret(context, caller, { communityId, webhookId: earlierId, secretId });
  }
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  const encryption = requireEncryption(context);
  const webhookId = randomUUID();
  const secret = makeWebhookSecret();
  const encryptedSecret = encryption.encrypt('webhookSecret', webhookId, secret);
  const { url, name, events = null } = body;
  const row = await context.transaction(async (tx) => {
    await lockCommunity(tx, communityId);
    if ((await countWebhooks(tx, communityId)) >= LIMITS.webhooks) {
      throw new Refusal(
        'WebhookLimitReached',
        `The community has ${LIMITS.webhooks} webhooks, the most allowed.`,
      );
    }
    const inserted = await insertWebhook(tx, toActor(caller), {
      communityId,
      webhookId,
      encryptedUrl: encryption.encrypt('webhookUrl', webhookId, url),
      name,
      events,
      encryptedSecret,
    });
    if (inserted === undefined) {
      await checkMayStillWrite(tx, caller, communityId);
      throw new Error(`community ${communityId} no longer exists`);
    }
    await repetition?.record(tx, [webhookId, secretIdOf(encryptedSecret)]);
    return inserted;
  });
  return { ...toWebhook(context, row), secret };
}

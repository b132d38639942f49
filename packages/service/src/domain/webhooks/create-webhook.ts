import { randomUUID } from 'node:crypto';
import { type CreateWebhookBody, LIMITS, type WebhookWithSecret } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { lockCommunity } from '../../storage/communities.ts';
import { countWebhooks, insertWebhook } from '../../storage/webhooks.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { Refusal } from '../refusal.ts';
import { encryptionUnavailable, makeWebhookSecret, toWebhook } from './rules.ts';

/** Creates a webhook. Only the returned object contains the secret in plain text; the service stores it encrypted. */
export async function createWebhook(
  context: Context,
  caller: Caller,
  { communityId, body }: { communityId: string; body: CreateWebhookBody },
): Promise<WebhookWithSecret> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  const { encryption } = context;
  if (encryption === null) throw encryptionUnavailable();
  const webhookId = randomUUID();
  const secret = makeWebhookSecret();
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
      url,
      name,
      events,
      encryptedSecret: encryption.encrypt('webhookSecret', webhookId, secret),
    });
    if (inserted !== undefined) return inserted;
    await checkMayStillWrite(tx, caller, communityId);
    throw new Error(`community ${communityId} no longer exists`);
  });
  return { ...toWebhook(row), secret };
}

import type { Context } from '../../context.ts';
import { revokeApiKey as revokeStoredApiKey } from '../../storage/api-keys.ts';
import { lockCommunity } from '../../storage/communities.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { endQueuedMails } from '../end-queued-mails.ts';
import { isUuid } from '../ids.ts';
import { Refusal } from '../refusal.ts';

/**
 * Revokes a key of a community. Every process rejects it from the next request on. The invitations that it
 * has queued are revoked, unless they are kept.
 */
export async function revokeApiKey(
  context: Context,
  caller: Caller,
  { communityId, apiKeyId, keepMails }: { communityId: string; apiKeyId: string; keepMails: boolean },
): Promise<void> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  if (!isUuid(apiKeyId)) throw apiKeyNotFound();
  await context.transaction(async (tx) => {
    await endQueuedMails(tx, toActor(caller), { communityId, createdByKey: apiKeyId }, keepMails);
    await lockCommunity(tx, communityId);
    if (await revokeStoredApiKey(tx, toActor(caller), { communityId, apiKeyId })) return;
    await checkMayStillWrite(tx, caller, communityId);
    throw apiKeyNotFound();
  });
}

function apiKeyNotFound(): Refusal {
  return new Refusal('ApiKeyNotFound', 'The community has no API key with this id.');
}

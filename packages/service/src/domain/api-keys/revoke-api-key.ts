import type { Context } from '../../context.ts';
import { revokeApiKey as revokeStoredApiKey } from '../../storage/api-keys.ts';
import { type Caller, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { isUuid } from '../ids.ts';
import { Refusal } from '../refusal.ts';

/** Revokes a key of a community. Every process rejects it from the next request on. */
export async function revokeApiKey(
  context: Context,
  caller: Caller,
  { communityId, apiKeyId }: { communityId: string; apiKeyId: string },
): Promise<void> {
  await readCommunityRow(context, communityId);
  const isRevoked =
    isUuid(apiKeyId) &&
    (await revokeStoredApiKey(context.database, toActor(caller), { communityId, apiKeyId }));
  if (!isRevoked) throw new Refusal('ApiKeyNotFound', 'The community has no API key with this id.');
}

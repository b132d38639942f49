import type { CreateApiKeyBody, CreatedApiKey } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { insertApiKey } from '../../storage/api-keys.ts';
import { lockCommunity } from '../../storage/communities.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { toApiKey } from './list-api-keys.ts';
import { hashKey, keyPrefix, makeKey } from './rules.ts';

/** Creates a key for a community. Only the returned object contains the key; the service stores its hash and its beginning. */
export async function createApiKey(
  context: Context,
  caller: Caller,
  communityId: string,
  { name, expiresAtTimestamp, role = 'editor' }: CreateApiKeyBody,
): Promise<CreatedApiKey> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  const apiKey = makeKey(context.settings.environment);
  const row = await context.transaction(async (tx) => {
    await lockCommunity(tx, communityId);
    const inserted = await insertApiKey(tx, toActor(caller), {
      communityId,
      hash: hashKey(apiKey),
      prefix: keyPrefix(apiKey),
      name,
      expiresAt: typeof expiresAtTimestamp === 'number' ? new Date(expiresAtTimestamp) : null,
      role,
    });
    if (inserted !== undefined) return inserted;
    await checkMayStillWrite(tx, caller, communityId);
    throw new Error('the random key already exists');
  });
  return { ...toApiKey(row), apiKey };
}

import type { CreateApiKeyBody, CreatedApiKey } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { insertApiKey } from '../../storage/api-keys.ts';
import { type Caller, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { toApiKey } from './list-api-keys.ts';
import { hashKey, keyPrefix, makeKey } from './rules.ts';

/** Creates a key for a community. Only the returned object contains the key; the service stores its hash and its beginning. */
export async function createApiKey(
  context: Context,
  caller: Caller,
  communityId: string,
  { name, expiresAtTimestamp }: CreateApiKeyBody,
): Promise<CreatedApiKey> {
  await readCommunityRow(context, communityId);
  const apiKey = makeKey(context.settings.environment);
  const row = await insertApiKey(context.database, toActor(caller), {
    communityId,
    hash: hashKey(apiKey),
    prefix: keyPrefix(apiKey),
    name,
    expiresAt: typeof expiresAtTimestamp === 'number' ? new Date(expiresAtTimestamp) : null,
  });
  if (row === undefined) throw new Error('the random key already exists');
  return { ...toApiKey(row), apiKey };
}

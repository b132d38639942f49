import type { CreateApiKeyBody, CreatedApiKey } from '@badge/protocol';
import type { Context, Repetition } from '../../context.ts';
import { insertApiKey, revokeApiKey } from '../../storage/api-keys.ts';
import { lockCommunity } from '../../storage/communities.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { Refusal } from '../refusal.ts';
import { toApiKey } from './list-api-keys.ts';
import { hashKey, keyPrefix, makeKey } from './rules.ts';

/**
 * Creates a key for a community. Only the returned object contains the key; the service stores its hash and
 * its beginning. A repeated request with the same `Idempotency-Key` revokes the key of the earlier one, which
 * may have been lost, and is refused if somebody has revoked this key.
 */
export async function createApiKey(
  context: Context,
  caller: Caller,
  {
    communityId,
    body,
    repetition,
  }: { communityId: string; body: CreateApiKeyBody; repetition: Repetition | undefined },
): Promise<CreatedApiKey> {
  const { name, expiresAtTimestamp, role = 'editor' } = body;
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  const apiKey = makeKey(context.settings.environment);
  const row = await context.transaction(async (tx) => {
    await lockCommunity(tx, communityId);
    for (const apiKeyId of repetition?.earlierIds ?? []) {
      if (await revokeApiKey(tx, toActor(caller), { communityId, apiKeyId })) continue;
      await checkMayStillWrite(tx, caller, communityId);
      throw new Refusal(
        'SecretNotRepeated',
        'The API key of the earlier request was revoked, so a repetition does not replace it. To create another one, send another Idempotency-Key.',
      );
    }
    const inserted = await insertApiKey(tx, toActor(caller), {
      communityId,
      hash: hashKey(apiKey),
      prefix: keyPrefix(apiKey),
      name,
      expiresAt: typeof expiresAtTimestamp === 'number' ? new Date(expiresAtTimestamp) : null,
      role,
    });
    if (inserted === undefined) {
      await checkMayStillWrite(tx, caller, communityId);
      throw new Error('the random key already exists');
    }
    await repetition?.record(tx, [inserted.api_key_id]);
    return inserted;
  });
  return { ...toApiKey(row), apiKey };
}

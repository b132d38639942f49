import type { IssuerKey, RotateIssuerKeyBody } from '@badge/protocol';
import type { Context, RecordResponse } from '../../context.ts';
import { lockCommunity } from '../../storage/communities.ts';
import { revokeOlderCredentials } from '../../storage/credentials.ts';
import type { DatabaseTransaction } from '../../storage/database.ts';
import {
  countRotationsOfDay,
  findIssuerKeys,
  insertIssuerKey,
  replaceOlderIssuerKeys,
} from '../../storage/issuer-keys.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { Refusal } from '../refusal.ts';
import { checkIssuerKey, NO_SEED, toIssuerKey } from './read-issuer-keys.ts';
import { credentialsUnavailable } from './rules.ts';

// docs/api.md states it. Each key stays in the public list for ever, and each gets status lists.
const MAX_ROTATIONS_PER_DAY = 5;

/**
 * Gives a community its next key. The older ones stay listed, and what they have signed stays valid, unless
 * the operator says that the seed was replaced.
 */
export async function rotateIssuerKey(
  context: Context,
  caller: Caller,
  {
    communityId,
    body,
    recordResponse,
  }: { communityId: string; body: RotateIssuerKeyBody; recordResponse: RecordResponse | undefined },
): Promise<IssuerKey> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  const isSeedReplaced = body.isSeedReplaced ?? false;
  if (isSeedReplaced && caller.kind !== 'operator') {
    throw new Refusal('ApiKeyNotAllowed', "isSeedReplaced requires the operator's key.");
  }
  const { issuerKeys } = context;
  if (issuerKeys === null) {
    throw credentialsUnavailable(NO_SEED);
  }
  return await context.transaction(async (tx) => {
    await lockCommunity(tx, communityId);
    const [current] = await findIssuerKeys(tx, communityId);
    if (current !== undefined && !isSeedReplaced) {
      checkIssuerKey(context, { communityId, generation: current.generation }, current.public_key);
    }
    const generation = (current?.generation ?? 0) + 1;
    const publicKey = issuerKeys.publicKeyOf({ communityId, generation });
    const row = await insertIssuerKey(tx, toActor(caller), { communityId, generation, publicKey });
    if (row === undefined) {
      await checkMayStillWrite(tx, caller, communityId);
      throw new Error(`community ${communityId} no longer exists`);
    }
    if (caller.kind !== 'operator') await checkRotationLimit(tx, communityId);
    if (isSeedReplaced) {
      await replaceOlderIssuerKeys(tx, { communityId, generation });
      await revokeOlderCredentials(tx, { communityId, generation });
    }
    const key = toIssuerKey(row, { isCurrent: true });
    await recordResponse?.(tx, key);
    return key;
  });
}

/** Throws if the rotation that this transaction has made is one too many. */
async function checkRotationLimit(tx: DatabaseTransaction, communityId: string): Promise<void> {
  const max = MAX_ROTATIONS_PER_DAY + 1;
  const { count, secondsLeft } = await countRotationsOfDay(tx, communityId, max);
  if (count < max) return;
  throw new Refusal(
    'RateLimited',
    `The issuer key of a community can be rotated ${MAX_ROTATIONS_PER_DAY} times a day. The operator can do it more often.`,
    { retryAfterSeconds: Math.ceil(secondsLeft) },
  );
}

import { randomUUID } from 'node:crypto';
import { type CreatedNftType, LIMITS, type NftTypeFields } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { insertAsset, PIECE_BYTES } from '../../storage/assets.ts';
import { lockCommunity } from '../../storage/communities.ts';
import type { RecordResponse } from '../../storage/idempotency-keys.ts';
import {
  findNftTypeObstacle,
  insertNftType,
  type NftTypeLimits,
  type NftTypeObstacle,
} from '../../storage/nft-types.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, rightLost, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { Refusal } from '../refusal.ts';
import { readPieces, type UploadedFile } from '../uploaded-file.ts';
import { toNftType } from './list-nft-types.ts';
import { readAssetType } from './read-asset-type.ts';
import { isBuiltIn } from './rules.ts';

/** Checks the community and the caller before the body of an upload is read. */
export async function checkMayCreateNftType(
  context: Context,
  caller: Caller,
  communityId: string,
): Promise<void> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
}

/** Adds an NFT type to a community. Call `checkMayCreateNftType` first. */
export async function createNftType(
  context: Context,
  caller: Caller,
  communityId: string,
  {
    fields,
    file,
    recordResponse,
  }: { fields: NftTypeFields; file: UploadedFile; recordResponse: RecordResponse | undefined },
): Promise<CreatedNftType> {
  const contentType = await readAssetType(file);
  const nftType = {
    communityId,
    nftTypeId: fields.nftTypeId ?? randomUUID(),
    name: fields.name,
    alias: fields.alias || null,
    assetId: randomUUID(),
  };
  const { assetId, nftTypeId } = nftType;
  const actor = toActor(caller);
  const { sizeBytes, hash } = file;
  const wanted = { communityId, nftTypeId, sizeBytes };
  const limits = {
    maxNftTypes: LIMITS.nftTypes,
    quotaBytes: context.settings.storageQuotaBytes,
  };
  const checkNoObstacle = async (db: Context['database']) => {
    const obstacle = isBuiltIn(nftTypeId) ? 'exists' : await findNftTypeObstacle(db, actor, wanted, limits);
    if (obstacle !== null) throw toRefusal(obstacle, caller, wanted, limits);
  };

  // Checked twice: here without locks, so that most refused uploads are not written, and below with locks.
  await checkNoObstacle(context.database);
  return await context.transaction(async (tx) => {
    await insertAsset(tx, { assetId, contentType, sizeBytes, hash, pieces: readPieces(file, PIECE_BYTES) });
    await lockCommunity(tx, communityId);
    await checkNoObstacle(tx);
    if (!(await insertNftType(tx, actor, nftType))) await checkMayStillWrite(tx, caller, communityId);
    const created = toNftType(context.settings, {
      nft_type_id: nftTypeId,
      name: nftType.name,
      asset_id: assetId,
      content_type: contentType,
    });
    await recordResponse?.(tx, created);
    return created;
  });
}

function toRefusal(
  obstacle: NftTypeObstacle,
  caller: Caller,
  { nftTypeId, sizeBytes }: { nftTypeId: string; sizeBytes: number },
  { maxNftTypes, quotaBytes }: NftTypeLimits,
): Refusal {
  switch (obstacle) {
    case 'exists':
      return new Refusal(
        'NftTypeExists',
        `The NFT type id ${nftTypeId} is taken, perhaps by a deleted type.`,
      );
    case 'limitReached':
      return new Refusal(
        'NftTypeLimitReached',
        `The community has ${maxNftTypes} NFT types of its own, the most allowed. Delete one first.`,
      );
    case 'quotaReached':
      return new Refusal(
        'StorageQuotaReached',
        `The files and claim links of a community may have ${quotaBytes} bytes in all, and this file of ${sizeBytes} bytes does not fit. Delete NFT types that no token uses.`,
      );
    case 'removedTooManyBytes':
      return new Refusal(
        'RateLimited',
        `${quotaBytes} bytes or more of the community's files were removed in the last ten minutes. Retry later.`,
        { retryAfterSeconds: 60 },
      );
    default:
      return rightLost(obstacle, caller);
  }
}

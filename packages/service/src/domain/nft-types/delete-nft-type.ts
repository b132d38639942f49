import type { Context } from '../../context.ts';
import { deleteAssetIfUnused } from '../../storage/assets.ts';
import { deleteNftType as deleteNftTypeRow, findNftType, lockNftType } from '../../storage/nft-types.ts';
import { type Caller, checkMayActFor, checkMayStillWrite, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { isCustomId } from '../ids.ts';
import { nftTypeNotFound, Refusal } from '../refusal.ts';
import { isBuiltIn } from './rules.ts';

/**
 * Deletes one of the community's own NFT types. New tokens cannot use it; existing ones keep its file. A file
 * that nothing uses is removed.
 */
export async function deleteNftType(
  context: Context,
  caller: Caller,
  { communityId, nftTypeId }: { communityId: string; nftTypeId: string },
): Promise<void> {
  // A missing community or type is reported before a key that does not belong to the community.
  await readCommunityRow(context, communityId);
  if (isBuiltIn(nftTypeId)) {
    await checkMayActFor(context, caller, communityId);
    throw new Refusal('NftTypeNotUserAdded', `${nftTypeId} is built in and cannot be deleted.`);
  }
  const row = isCustomId(nftTypeId) ? await findNftType(context.database, communityId, nftTypeId) : undefined;
  if (row === undefined || row.is_deleted) throw nftTypeNotFound();
  await checkMayActFor(context, caller, communityId);
  const nftType = { communityId, nftTypeId };
  await context.transaction(async (tx) => {
    await lockNftType(tx, nftType);
    if (!(await deleteNftTypeRow(tx, toActor(caller), nftType))) {
      await checkMayStillWrite(tx, caller, communityId);
      throw nftTypeNotFound();
    }
    await deleteAssetIfUnused(tx, nftType);
  });
}

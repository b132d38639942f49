import type { Context } from '../../context.ts';
import { deleteNftType as deleteNftTypeRow, findNftType } from '../../storage/nft-types.ts';
import { type Caller, checkMayActFor, toActor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import { isChosenId } from '../ids.ts';
import { nftTypeNotFound, Refusal } from '../refusal.ts';
import { isBuiltIn } from './rules.ts';

/** Deletes one of the community's own NFT types. New tokens cannot use it; existing ones keep it. */
export async function deleteNftType(
  context: Context,
  caller: Caller,
  { communityId, nftTypeId }: { communityId: string; nftTypeId: string },
): Promise<void> {
  await readCommunityRow(context, communityId);
  if (!isBuiltIn(nftTypeId)) {
    const row = isChosenId(nftTypeId)
      ? await findNftType(context.database, communityId, nftTypeId)
      : undefined;
    if (row === undefined || row.is_deleted) throw nftTypeNotFound();
  }
  checkMayActFor(caller, communityId);
  if (isBuiltIn(nftTypeId)) {
    throw new Refusal('NftTypeNotUserAdded', `${nftTypeId} is built in and cannot be deleted.`);
  }
  const isDeleted = await deleteNftTypeRow(context.database, toActor(caller), { communityId, nftTypeId });
  if (!isDeleted) throw nftTypeNotFound();
}

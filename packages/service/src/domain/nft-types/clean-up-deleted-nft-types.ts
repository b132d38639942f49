import type { Context } from '../../context.ts';
import { deleteAssetIfUnused } from '../../storage/assets.ts';
import { lockNextDeletedNftType } from '../../storage/nft-types.ts';

/**
 * Takes the next deleted NFT type whose asset may be unused: the one with the lowest `sequence` above
 * `afterSequence`. Deletes its asset if nothing uses it. Returns the sequence, to continue from, or null if
 * there is no such type.
 */
export async function cleanUpNextDeletedNftType(
  context: Context,
  afterSequence: number,
): Promise<number | null> {
  return await context.transaction(async (tx) => {
    const nftType = await lockNextDeletedNftType(tx, afterSequence);
    if (nftType === undefined) return null;
    await deleteAssetIfUnused(tx, nftType);
    return nftType.sequence;
  });
}

import type { Context } from '../../context.ts';
import { deleteAssetIfUnused } from '../../storage/assets.ts';
import { lockNextDeletedNftType } from '../../storage/nft-types.ts';

/**
 * Finds the deleted NFT type with the lowest `sequence` above `afterSequence`, and deletes its asset if nothing uses
 * it. Returns the sequence of the type, to continue from, or null if there is no further deleted type.
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

import type { Context } from '../../context.ts';
import { deleteAssetIfUnused } from '../../storage/assets.ts';
import { lockNextDeletedNftType } from '../../storage/nft-types.ts';

/**
 * Finds the next deleted NFT type after `afterSequence`, and deletes its asset if nothing uses the asset any more.
 * Returns the type's sequence, or null if there is no further deleted type.
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

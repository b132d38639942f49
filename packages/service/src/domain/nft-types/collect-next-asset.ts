import type { Context } from '../../context.ts';
import { collectAsset } from '../../storage/assets.ts';
import { lockNextDeletedNftType } from '../../storage/nft-types.ts';

/**
 * Finds the next deleted NFT type after `afterSequence`, and removes its asset if nothing uses it any more. Returns the
 * type's sequence, or null if there is no further deleted type.
 */
export async function collectNextAsset(context: Context, afterSequence: number): Promise<number | null> {
  return await context.transaction(async (tx) => {
    const nftType = await lockNextDeletedNftType(tx, afterSequence);
    if (nftType === undefined) return null;
    await collectAsset(tx, nftType);
    return nftType.sequence;
  });
}

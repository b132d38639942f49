import { BUILT_IN_DESIGNS } from '@badge/badge-images';
import type { NftType } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { listNftTypes as listNftTypeRows } from '../../storage/nft-types.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community-row.ts';
import { toNftType } from './to-nft-type.ts';

/** Lists the NFT types that the community's tokens may have: the built-in ones, then its own, newest first. */
export async function listNftTypes(
  context: Context,
  caller: Caller,
  communityId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<NftType[]> {
  await readCommunityRow(context, communityId);
  checkMayActFor(caller, communityId);
  const builtIn = BUILT_IN_DESIGNS.slice(offset, offset + limit).map((design) => ({
    nftTypeId: design.id,
    name: design.name,
    previewAssetUrl: `${context.settings.imageUrl}/nft/${design.id}.png`,
    isUserAdded: false,
    hasTextOverlay: true,
  }));
  const rows = await listNftTypeRows(context.database, communityId, {
    limit: limit - builtIn.length,
    offset: Math.max(0, offset - BUILT_IN_DESIGNS.length),
  });
  const added = rows.map((row) => {
    const { assetUrl: _, ...nftType } = toNftType(context.settings, row);
    return nftType;
  });
  return [...builtIn, ...added];
}

import type { NftType } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { BUILT_IN_DESIGNS } from '../../images/designs.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community-row.ts';

/** Lists the NFT types that the community's tokens may have. */
export async function listNftTypes(
  context: Context,
  caller: Caller,
  communityId: string,
  page: { limit: number; offset: number },
): Promise<NftType[]> {
  await readCommunityRow(context, communityId);
  checkMayActFor(caller, communityId);
  return BUILT_IN_DESIGNS.slice(page.offset, page.offset + page.limit).map((design) => ({
    nftTypeId: design.id,
    name: design.name,
    previewAssetUrl: `${context.settings.imageUrl}/nft/${design.id}.png`,
    isUserAdded: false,
    hasTextOverlay: true,
  }));
}

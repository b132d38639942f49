import { BUILT_IN_DESIGNS } from '@badge/badge-images';
import { type CreatedNftType, LIMITS, type NftType } from '@badge/protocol';
import type { Context, Settings } from '../../context.ts';
import { listNftTypes as listNftTypeRows, type NftTypeRow } from '../../storage/nft-types.ts';
import { type Caller, checkMayActFor } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import type { Reader } from '../reader.ts';
import { extensionOf, isVideo } from './rules.ts';

// The name has up to 200 characters, of up to 6 bytes in JSON.
const NFT_TYPE_BYTES = 4 * 1024;

/** Lists the NFT types that a community can use: the built-in ones, then its own, newest first. */
export async function listNftTypes(
  context: Context,
  reader: Reader,
  caller: Caller,
  communityId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<NftType[]> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  const builtIn = BUILT_IN_DESIGNS.slice(offset, offset + limit).map((design) => ({
    nftTypeId: design.id,
    name: design.name,
    previewAssetUrl: `${context.settings.imageUrl}/nft/${design.id}.png`,
    isUserAdded: false,
    hasTextOverlay: true,
  }));
  const rows = await reader.read(Math.min(limit, LIMITS.nftTypes) * NFT_TYPE_BYTES, () =>
    listNftTypeRows(context.database, communityId, {
      limit: limit - builtIn.length,
      offset: Math.max(0, offset - BUILT_IN_DESIGNS.length),
    }),
  );
  const added = rows.map((row) => {
    const { assetUrl: _, ...nftType } = toNftType(context.settings, row);
    return nftType;
  });
  return [...builtIn, ...added];
}

/** Returns the response object of a community's own NFT type. The preview of a video is its poster. */
export function toNftType({ imageUrl }: Settings, row: NftTypeRow): CreatedNftType {
  const base = `${imageUrl}/nft/${row.asset_id}`;
  const assetUrl = `${base}.${extensionOf(row.content_type)}`;
  return {
    nftTypeId: row.nft_type_id,
    name: row.name,
    assetUrl,
    previewAssetUrl: isVideo(row.content_type) ? `${base}.png` : assetUrl,
    isUserAdded: true,
    hasTextOverlay: false,
  };
}

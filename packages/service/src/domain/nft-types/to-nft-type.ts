import type { AddedNftType } from '@badge/protocol';
import type { Settings } from '../../context.ts';
import type { NftTypeRow } from '../../storage/nft-types.ts';
import { extensionOf, isVideo } from './rules.ts';

/** The NFT type object of a type that a community has added: shown as it is, a video by its poster. */
export function toNftType({ imageUrl }: Pick<Settings, 'imageUrl'>, row: NftTypeRow): AddedNftType {
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

import type { Context } from '../../context.ts';
import { findAsset } from '../../storage/assets.ts';
import { Refusal } from '../refusal.ts';
import { extensionOf, isBuiltIn, isVideo } from './rules.ts';
import { type Picture, toAssetPicture, toDrawnPicture } from './to-picture.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * What shows an NFT type: a built-in one by its id, an uploaded file by the id of its asset, since the ids
 * of types are their community's own.
 */
export async function readNftTypePicture(
  context: Context,
  { id, extension }: { id: string; extension: string },
): Promise<Picture> {
  if (isBuiltIn(id) && extension === 'png') {
    return await toDrawnPicture(context.images.renderDesign(id), { isImmutable: false });
  }
  const asset = UUID.test(id) ? await findAsset(context.database, id) : undefined;
  if (asset !== undefined) {
    if (extension === extensionOf(asset.content_type)) return toAssetPicture(context, asset);
    if (isVideo(asset.content_type) && extension === 'png') {
      const poster = context.images.renderPoster({ headline: asset.nft_type_name });
      return await toDrawnPicture(poster, { isImmutable: false });
    }
  }
  throw new Refusal('NftTypeNotFound', "There is no NFT type's picture with this name.");
}

import type { Context } from '../../context.ts';
import { findNftTypeAsset } from '../../storage/assets.ts';
import type { TokenRow } from '../../storage/tokens.ts';
import { extensionOf, isVideo } from '../nft-types/rules.ts';
import { type Picture, toAssetPicture, toDrawnPicture } from '../nft-types/to-picture.ts';
import { Refusal } from '../refusal.ts';
import { readTokenRow } from './read-token-row.ts';

/** What shows a token: its design, the uploaded image, or the uploaded video and a poster. */
export async function readTokenImage(
  context: Context,
  { tokenId, extension }: { tokenId: string; extension: string },
): Promise<Picture> {
  const token = await readTokenRow(context, tokenId);
  const { headline, asset_content_type: contentType } = token;
  if (extension === extensionOf(contentType ?? 'image/png')) {
    return contentType === null
      ? await draw(context.images.renderTokenImage({ designId: token.nft_type_id, headline }))
      : await readUpload(context, token);
  }
  if (extension === 'png' && contentType !== null && isVideo(contentType)) {
    return await draw(context.images.renderPoster({ headline }));
  }
  throw new Refusal('TokenNotFound', 'There is no picture with this name.');
}

function draw(drawing: Promise<Buffer>): Promise<Picture> {
  return toDrawnPicture(drawing, { isImmutable: true });
}

async function readUpload(context: Context, token: TokenRow): Promise<Picture> {
  const asset = await findNftTypeAsset(context.database, token.community_id, token.nft_type_id);
  if (asset === undefined) throw new Error(`the asset of token ${token.token_id} is not there`);
  return toAssetPicture(context, asset);
}

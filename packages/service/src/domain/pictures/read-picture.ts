import { createHash } from 'node:crypto';
import { RenderBusy } from '@badge/badge-images';
import type { Context } from '../../context.ts';
import { type AssetRow, findAsset, findNftTypeAsset, readAsset } from '../../storage/assets.ts';
import { isUuid } from '../ids.ts';
import { extensionOf, isBuiltIn, isVideo } from '../nft-types/rules.ts';
import { Refusal } from '../refusal.ts';
import { readTokenRow } from '../tokens/read-token.ts';

/** What an image URL returns: a drawn PNG or an uploaded file. `read` can return a part of it. */
export interface Picture {
  contentType: string;
  sizeBytes: number;
  /** SHA-256 of the content. */
  hash: string;
  /** Whether the URL returns the same content forever. */
  isImmutable: boolean;
  /** Reads the bytes from `start` up to, not including, `end`. */
  read(range: { start: number; end: number }): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Reads a token's picture: the drawn design, the uploaded file or, for `png`, the poster of an uploaded video. */
export async function readTokenPicture(
  context: Context,
  { tokenId, extension }: { tokenId: string; extension: string },
): Promise<Picture> {
  const token = await readTokenRow(context, tokenId);
  const { headline, asset_content_type: contentType } = token;
  if (contentType === null && extension === 'png') {
    return await drawnPicture(context.images.renderTokenImage({ designId: token.nft_type_id, headline }), {
      isImmutable: true,
    });
  }
  if (contentType !== null && extension === extensionOf(contentType)) {
    const asset = await findNftTypeAsset(context.database, token.community_id, token.nft_type_id);
    if (asset === undefined) throw new Error(`the asset of token ${token.token_id} is missing`);
    return assetPicture(context, asset);
  }
  if (contentType !== null && isVideo(contentType) && extension === 'png') {
    return await drawnPicture(context.images.renderPoster({ headline }), { isImmutable: true });
  }
  throw new Refusal('TokenNotFound', 'There is no picture with this name.');
}

/**
 * Reads an NFT type's picture. `id` is the id of a built-in type or of an uploaded asset. It is not the id of a
 * community's own type, because such ids are not unique across communities.
 */
export async function readNftTypePicture(
  context: Context,
  { id, extension }: { id: string; extension: string },
): Promise<Picture> {
  if (isBuiltIn(id) && extension === 'png') {
    return await drawnPicture(context.images.renderDesign(id), { isImmutable: false });
  }
  const asset = isUuid(id) ? await findAsset(context.database, id) : undefined;
  // PostgreSQL also finds a UUID in upper case, but a picture has only one URL.
  if (asset?.asset_id === id) {
    if (extension === extensionOf(asset.content_type)) return assetPicture(context, asset);
    if (isVideo(asset.content_type) && extension === 'png') {
      return await drawnPicture(context.images.renderPoster({ headline: asset.nft_type_name }), {
        isImmutable: false,
      });
    }
  }
  throw new Refusal('NftTypeNotFound', "There is no NFT type's picture with this name.");
}

/** Draws the logo for communities that have not set one. */
export async function readDefaultLogo(context: Context): Promise<Picture> {
  return await drawnPicture(context.images.renderLogo(), { isImmutable: false });
}

async function drawnPicture(
  drawing: Promise<Buffer>,
  { isImmutable }: { isImmutable: boolean },
): Promise<Picture> {
  const png = await drawing.catch((error: unknown) => {
    if (!(error instanceof RenderBusy)) throw error;
    throw new Refusal('Unavailable', 'The picture cannot be drawn now: too many others are waiting.');
  });
  return {
    contentType: 'image/png',
    sizeBytes: png.length,
    hash: createHash('sha256').update(png).digest('base64url'),
    isImmutable,
    read: ({ start, end }) => [png.subarray(start, end)],
  };
}

function assetPicture({ database }: Context, asset: AssetRow): Picture {
  return {
    contentType: asset.content_type,
    sizeBytes: asset.size_bytes,
    hash: asset.content_hash.toString('base64url'),
    isImmutable: true,
    read: (range) => readAsset(database, asset, range),
  };
}

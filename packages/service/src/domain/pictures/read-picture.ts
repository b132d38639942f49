import { ClientBusy, type ImageSpec, RenderBusy, type Requester } from '@badge/badge-images';
import type { Context } from '../../context.ts';
import { type AssetRow, findAsset, findNftTypeAsset, PIECE_BYTES, readAsset } from '../../storage/assets.ts';
import { isUuid } from '../ids.ts';
import { extensionOf, isBuiltIn, isVideo } from '../nft-types/rules.ts';
import { Refusal } from '../refusal.ts';
import { readTokenRow } from '../tokens/read-token.ts';

// No drawn picture is larger: those with the longest headlines have less than 500 kB.
export const MAX_DRAWN_BYTES = 640 * 1024;

/** What an image URL returns: a drawn PNG or an uploaded file. */
export interface Picture {
  contentType: string;
  /** Identifies the content. It is known before the picture is drawn. */
  hash: string;
  /** Whether the URL returns the same content forever. */
  isImmutable: boolean;
  /** The most bytes that a response holds in memory. */
  maxHeldBytes: number;
  /** Draws the picture if it is not cached. If the requester's signal aborts, rejects with its reason. */
  open(requester: Requester): Promise<PictureContent>;
}

/** A drawn picture, or a file in the database. `read` returns the bytes of the file from `start` to before `end`. */
export type PictureContent =
  | { bytes: Buffer }
  | { sizeBytes: number; read(range: { start: number; end: number }): AsyncIterable<Uint8Array> };

/** Reads a token's picture: the drawn design, the uploaded file or, for `png`, the poster of an uploaded video. */
export async function readTokenPicture(
  context: Context,
  { tokenId, extension }: { tokenId: string; extension: string },
): Promise<Picture> {
  const token = await readTokenRow(context, tokenId);
  const { headline, asset_content_type: contentType } = token;
  if (contentType === null && extension === 'png') {
    const spec = { kind: 'token', designId: token.nft_type_id, headline } as const;
    return drawnPicture(context, spec, { isImmutable: true });
  }
  if (contentType !== null && extension === extensionOf(contentType)) {
    const asset = await findNftTypeAsset(context.database, token.community_id, token.nft_type_id);
    if (asset === undefined) throw new Error(`the asset of token ${token.token_id} is missing`);
    return assetPicture(context, asset);
  }
  if (contentType !== null && isVideo(contentType) && extension === 'png') {
    return drawnPicture(context, { kind: 'poster', headline }, { isImmutable: true });
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
    return drawnPicture(context, { kind: 'design', designId: id }, { isImmutable: false });
  }
  const asset = isUuid(id) ? await findAsset(context.database, id) : undefined;
  // PostgreSQL also finds a UUID in upper case, but a picture has only one URL.
  if (asset?.asset_id === id) {
    if (extension === extensionOf(asset.content_type)) return assetPicture(context, asset);
    if (isVideo(asset.content_type) && extension === 'png') {
      const spec = { kind: 'poster', headline: asset.nft_type_name } as const;
      return drawnPicture(context, spec, { isImmutable: false });
    }
  }
  throw new Refusal('NftTypeNotFound', 'There is no picture of an NFT type with this name.');
}

/** The logo for communities that have not set one. */
export function readDefaultLogo(context: Context): Picture {
  return drawnPicture(context, { kind: 'logo' }, { isImmutable: false });
}

function drawnPicture(
  { images }: Context,
  spec: ImageSpec,
  { isImmutable }: { isImmutable: boolean },
): Picture {
  return {
    contentType: 'image/png',
    hash: images.hashOf(spec),
    isImmutable,
    maxHeldBytes: MAX_DRAWN_BYTES,
    async open(requester) {
      return { bytes: await images.render(spec, requester).catch(refuseIfBusy) };
    },
  };
}

export function refuseIfBusy(error: unknown): never {
  if (error instanceof ClientBusy) {
    throw new Refusal('RateLimited', 'Too many pictures for this address are waiting to be drawn.');
  }
  if (error instanceof RenderBusy) {
    throw new Refusal('Unavailable', 'The picture cannot be drawn now. Retry later.');
  }
  throw error;
}

function assetPicture({ database }: Context, asset: AssetRow): Picture {
  return {
    contentType: asset.content_type,
    hash: asset.content_hash.toString('base64url'),
    isImmutable: true,
    // The piece that is being sent, and the next.
    maxHeldBytes: 2 * PIECE_BYTES,
    open: async () => ({
      sizeBytes: asset.size_bytes,
      read: (range) => readAsset(database, asset, range),
    }),
  };
}

import {
  ClientBusy,
  DESIGN_SIZE,
  type DrawnSpec,
  LOGO_SIZE,
  RenderBusy,
  type Requester,
} from '@badge/badge-images';
import type { Context } from '../../context.ts';
import { type AssetRow, findAsset, findNftTypeAsset, PIECE_BYTES, readAsset } from '../../storage/assets.ts';
import { isUuid } from '../ids.ts';
import { extensionOf, isBuiltIn, isVideo } from '../nft-types/rules.ts';
import { Refusal } from '../refusal.ts';
import { readTokenRow } from '../tokens/read-token.ts';
import { roundUpSize, smallCopyType } from './rules.ts';

// No drawn picture is larger: those with the longest headlines have less than 500 kB.
export const MAX_DRAWN_BYTES = 640 * 1024;

// The headers of a PNG. Its pixels have up to 4 bytes each.
export const PNG_OVERHEAD_BYTES = 16 * 1024;

/** What an image URL returns: a drawn PNG, an uploaded file, or a smaller copy of such a file. */
export interface Picture {
  /** Identifies the content. It is known before the picture is drawn. */
  hash: string;
  /** Whether the URL returns the same content forever. */
  isImmutable: boolean;
  /** Whether caches ask each time whether the content is still the same. */
  isRevalidated?: boolean;
  /** Whether only the caller may see it, and it has other bytes each time. Default: false. */
  isPrivate?: boolean;
  /** The most bytes that a response holds in memory. */
  maxHeldBytes: number;
  /** Draws the picture if it is not cached. If the requester's signal aborts, rejects with its reason. */
  open(requester: Requester): Promise<PictureContent>;
}

/**
 * A drawn picture, or a file in the database. `read` returns the bytes of the file from `start` to before
 * `end`.
 */
export type PictureContent = { contentType: string } & (
  | { bytes: Buffer }
  | { sizeBytes: number; read(range: { start: number; end: number }): AsyncIterable<Uint8Array> }
);

/** The name of a picture in a URL, and the query parameter `size` in pixels. */
interface PictureName {
  extension: string;
  size?: number | undefined;
}

/**
 * Reads a token's picture: the drawn design, the uploaded file or, for `png`, the poster of an uploaded
 * video.
 */
export async function readTokenPicture(
  context: Context,
  { tokenId, extension, size }: PictureName & { tokenId: string },
): Promise<Picture> {
  const token = await readTokenRow(context, tokenId);
  const { headline, asset_content_type: contentType } = token;
  if (contentType === null && extension === 'png') {
    const spec = { kind: 'token', designId: token.nft_type_id, headline } as const;
    return drawnPicture(context, spec, { isImmutable: true, size });
  }
  if (contentType !== null && extension === extensionOf(contentType)) {
    const asset = await findNftTypeAsset(context.database, token.community_id, token.nft_type_id);
    if (asset === undefined) throw new Error(`the asset of token ${token.token_id} is missing`);
    return assetPicture(context, asset, size);
  }
  if (contentType !== null && isVideo(contentType) && extension === 'png') {
    return drawnPicture(context, { kind: 'poster', headline }, { isImmutable: true, size });
  }
  throw new Refusal('TokenNotFound', 'There is no picture with this name.');
}

/**
 * Reads an NFT type's picture. `id` is the id of a built-in type or of an uploaded asset. It is not the id of
 * a community's own type, because such ids are not unique across communities.
 */
export async function readNftTypePicture(
  context: Context,
  { id, extension, size }: PictureName & { id: string },
): Promise<Picture> {
  if (isBuiltIn(id) && extension === 'png') {
    return drawnPicture(context, { kind: 'design', designId: id }, { isImmutable: false, size });
  }
  const asset = isUuid(id) ? await findAsset(context.database, id) : undefined;
  // PostgreSQL also finds a UUID in upper case, but a picture has only one URL.
  if (asset?.asset_id === id) {
    if (extension === extensionOf(asset.content_type)) return assetPicture(context, asset, size);
    if (isVideo(asset.content_type) && extension === 'png') {
      const spec = { kind: 'poster', headline: asset.nft_type_name } as const;
      return drawnPicture(context, spec, { isImmutable: false, size });
    }
  }
  throw new Refusal('NftTypeNotFound', 'There is no picture of an NFT type with this name.');
}

/** The logo for communities that have not set one. */
export function readDefaultLogo(context: Context, { size }: { size?: number | undefined }): Picture {
  return drawnPicture(context, { kind: 'logo' }, { isImmutable: false, size });
}

function drawnPicture(
  { images }: Context,
  drawn: DrawnSpec,
  { isImmutable, size }: { isImmutable: boolean; size: number | undefined },
): Picture {
  const spec = withSize(drawn, size);
  return {
    hash: images.hashOf(spec),
    isImmutable,
    maxHeldBytes: MAX_DRAWN_BYTES,
    async open(requester) {
      return {
        contentType: 'image/png',
        bytes: await images.render(spec, requester).catch(refuseIfBusy),
      };
    },
  };
}

// A picture is never drawn larger than it is designed, so a large size leads to the same image as no size.
function withSize(spec: DrawnSpec, size: number | undefined): DrawnSpec {
  if (size === undefined) return spec;
  const sizePixels = roundUpSize(size);
  return sizePixels < (spec.kind === 'logo' ? LOGO_SIZE : DESIGN_SIZE) ? { ...spec, sizePixels } : spec;
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

function assetPicture(context: Context, asset: AssetRow, size: number | undefined): Picture {
  const { database } = context;
  const file: Picture = {
    hash: asset.content_hash.toString('base64url'),
    isImmutable: true,
    // The piece that is being sent, and the next.
    maxHeldBytes: 2 * PIECE_BYTES,
    open: async () => ({
      contentType: asset.content_type,
      sizeBytes: asset.size_bytes,
      read: (range) => readAsset(database, asset, range),
    }),
  };
  return size === undefined || isVideo(asset.content_type) ? file : smallCopy(context, { asset, file, size });
}

/** A smaller copy of a file; the file itself if it is not larger, or if it cannot be read. */
function smallCopy(
  { images }: Context,
  { asset, file, size }: { asset: AssetRow; file: Picture; size: number },
): Picture {
  const sizePixels = roundUpSize(size);
  const spec = {
    kind: 'file',
    fileId: asset.asset_id,
    contentType: asset.content_type,
    sizePixels,
  } as const;
  return {
    hash: images.hashOf(spec),
    isImmutable: true,
    maxHeldBytes: Math.max(file.maxHeldBytes, sizePixels ** 2 * 4 + PNG_OVERHEAD_BYTES),
    async open(requester) {
      const bytes = await images.render(spec, requester).catch(refuseIfBusy);
      if (bytes.length === 0) return await file.open(requester);
      return { contentType: smallCopyType(asset.content_type), bytes };
    },
  };
}

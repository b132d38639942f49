import type { Requester } from '@badge/badge-images';
import type { Context } from '../../context.ts';
import { findNftTypeAsset } from '../../storage/assets.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { isVideo } from '../nft-types/rules.ts';
import { MAX_DRAWN_BYTES, PNG_OVERHEAD_BYTES, refuseIfBusy } from './read-picture.ts';
import { MAX_PICTURE_SIZE } from './rules.ts';

type PngToken = Pick<
  TokenSummaryRow,
  'token_id' | 'community_id' | 'headline' | 'nft_type_id' | 'asset_content_type'
>;

/** The picture of a token as a PNG. */
export interface Png {
  /** Identifies the bytes. It is known before the picture is drawn. */
  hash: string;
  maxBytes: number;
  open(requester: Requester): Promise<Buffer>;
}

/**
 * Reads the picture of a token as a PNG: the drawn design, or a copy of the uploaded image of at most 1,024
 * pixels. For a video, and for an image that cannot be read, it is a poster with the headline.
 */
export async function readPng({ database, images }: Context, token: PngToken): Promise<Png> {
  const { headline, asset_content_type: contentType } = token;
  const poster = { kind: 'poster', headline } as const;
  if (contentType === null || isVideo(contentType)) {
    const spec =
      contentType === null ? ({ kind: 'token', designId: token.nft_type_id, headline } as const) : poster;
    return {
      hash: images.hashOf(spec),
      maxBytes: MAX_DRAWN_BYTES,
      open: (requester) => images.render(spec, requester).catch(refuseIfBusy),
    };
  }
  const asset = await findNftTypeAsset(database, token.community_id, token.nft_type_id);
  if (asset === undefined) throw new Error(`the asset of token ${token.token_id} is missing`);
  const spec = {
    kind: 'file',
    fileId: asset.asset_id,
    contentType,
    sizePixels: MAX_PICTURE_SIZE,
    isPng: true,
  } as const;
  return {
    hash: images.hashOf(spec),
    maxBytes: MAX_PICTURE_SIZE ** 2 * 4 + PNG_OVERHEAD_BYTES,
    open: async (requester) => {
      const png = await images.render(spec, requester).catch(refuseIfBusy);
      return png.length > 0 ? png : await images.render(poster, requester).catch(refuseIfBusy);
    },
  };
}

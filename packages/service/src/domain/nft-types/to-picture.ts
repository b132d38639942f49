import { createHash } from 'node:crypto';
import { RenderBusy } from '@badge/badge-images';
import type { Context } from '../../context.ts';
import { type AssetRow, readAsset } from '../../storage/assets.ts';
import { Refusal } from '../refusal.ts';

/** A picture that can be read in parts. */
export interface Picture {
  contentType: string;
  sizeBytes: number;
  /** Of the content: another picture has another. */
  hash: string;
  /** Whether its address will show the same for ever. */
  isImmutable: boolean;
  /** Its bytes from `start` to `end`, `end` excluded. */
  read(range: { start: number; end: number }): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** A picture that the service draws; refused while too many wait to be drawn. */
export async function toDrawnPicture(
  drawing: Promise<Buffer>,
  { isImmutable }: { isImmutable: boolean },
): Promise<Picture> {
  const png = await drawing.catch((error: unknown) => {
    if (!(error instanceof RenderBusy)) throw error;
    throw new Refusal('Unavailable', 'The picture cannot be drawn in time: too many wait.');
  });
  return {
    contentType: 'image/png',
    sizeBytes: png.length,
    hash: createHash('sha256').update(png).digest('base64url'),
    isImmutable,
    read: ({ start, end }) => [png.subarray(start, end)],
  };
}

/** A file that a community has uploaded. */
export function toAssetPicture({ database }: Pick<Context, 'database'>, asset: AssetRow): Picture {
  return {
    contentType: asset.content_type,
    sizeBytes: asset.size_bytes,
    hash: asset.content_hash.toString('base64url'),
    isImmutable: true,
    read: (range) => readAsset(database, asset, range),
  };
}

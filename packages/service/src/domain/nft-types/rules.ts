import { BUILT_IN_DESIGNS } from '@badge/badge-images';
import { LIMITS, type RequestError } from '@badge/protocol';

export type AssetContentType = keyof typeof EXTENSIONS;

const EXTENSIONS = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
} as const;

/** Whether this is the id of a built-in type, which every community can use. */
export function isBuiltIn(nftTypeId: string): boolean {
  return BUILT_IN_DESIGNS.some((design) => design.id === nftTypeId);
}

export function isVideo(contentType: string): boolean {
  return contentType.startsWith('video/');
}

/** The extension of an uploaded file's URL. */
export function extensionOf(contentType: string): string {
  // During an upgrade, a later release can store files of other types.
  return EXTENSIONS[contentType as AssetContentType] ?? 'bin';
}

/**
 * Returns an error if an image has too many pixels, because decoding even a small file can then need much
 * memory.
 */
export function findPixelErrors({ width, height }: { width: number; height: number }): RequestError[] {
  const { assetSidePixels, assetPixels } = LIMITS;
  return Math.max(width, height) > assetSidePixels || width * height > assetPixels
    ? [
        {
          pointer: '/assetFile',
          detail: `is ${width} by ${height} pixels; the limits are ${assetSidePixels} a side and ${assetPixels} in all`,
        },
      ]
    : [];
}

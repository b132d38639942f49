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

/** Whether every community has the type, drawn by the service. */
export function isBuiltIn(nftTypeId: string): boolean {
  return BUILT_IN_DESIGNS.some((design) => design.id === nftTypeId);
}

export function isVideo(contentType: string): boolean {
  return contentType.startsWith('video/');
}

/** How the address of an uploaded file ends; that of a drawn picture ends in `png`. */
export function extensionOf(contentType: string): string {
  return EXTENSIONS[contentType as AssetContentType] ?? 'bin';
}

/** The errors of an image too large to be shown, whatever its file's size: a small file may fill a memory. */
export function findPixelErrors({ width, height }: { width: number; height: number }): RequestError[] {
  const { assetSidePixels, assetPixels } = LIMITS;
  return Math.max(width, height) > assetSidePixels || width * height > assetPixels
    ? [
        {
          pointer: '/assetFile',
          detail: `is ${width} by ${height} pixels: at most ${assetSidePixels} a side and ${assetPixels} in all are accepted`,
        },
      ]
    : [];
}

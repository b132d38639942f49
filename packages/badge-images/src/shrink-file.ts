import { type Canvas, type Image, loadImage } from '@napi-rs/canvas';
import type { FileSpec } from './draw-image.ts';
import { shrink } from './shrink.ts';

const JPEG_QUALITY = 86;
const WEBP_QUALITY = 86;

/**
 * Returns the image in a file with its longer side of `sizePixels`; of an animation, the first frame. JPEG
 * and WebP stay what they are, and other files become PNG. With `isPng`, all do, and a file that is not
 * larger keeps its size. Without it, returns null for such a file. Returns null for a file that cannot be
 * read.
 */
export async function shrinkFile(
  file: Uint8Array,
  { contentType, sizePixels, isPng }: FileSpec,
): Promise<Uint8Array | null> {
  const image = await loadImage(file).catch(() => null);
  if (image === null) return null;
  // `width` and `height` are those after the rotation that a camera has noted in the file (Exif).
  const scale = Math.min(1, sizePixels / Math.max(image.width, image.height));
  if (isPng !== true && !(scale < 1)) return null;
  const small = shrink(image, { width: toPixels(image.width, scale), height: toPixels(image.height, scale) });
  return encode(small, isPng ? 'image/png' : contentType);
}

function toPixels(length: Image['width'], scale: number): number {
  return Math.max(1, Math.round(length * scale));
}

function encode(canvas: Canvas, contentType: string): Uint8Array {
  switch (contentType) {
    case 'image/jpeg':
      return canvas.encodeSync('jpeg', JPEG_QUALITY);
    case 'image/webp':
      return canvas.encodeSync('webp', WEBP_QUALITY);
    default:
      return canvas.encodeSync('png');
  }
}

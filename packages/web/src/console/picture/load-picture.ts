import type { Size } from './plan-picture.ts';
import { HEAD_BYTES, type PictureType, readPictureType } from './read-picture-type.ts';
import { sizeSvg } from './size-svg.ts';

/**
 * Why a picture cannot be uploaded:
 * - `unreadable`: the browser cannot show it
 * - `animation`: it moves, and the service refuses it. A smaller one would not move
 */
export class PictureError extends Error {
  readonly problem: 'unreadable' | 'animation';

  constructor(problem: PictureError['problem'], cause?: unknown) {
    super(problem, { cause });
    this.problem = problem;
  }
}

export interface LoadedPicture extends PictureType {
  image: HTMLImageElement;
  /** The size in pixels after the rotation that a camera has noted in the file (Exif). */
  size: Size;
  /** Frees the memory of the file. */
  release(): void;
}

/** Loads a picture of any type that the browser can show. Throws a `PictureError`. */
export async function loadPicture(file: Blob): Promise<LoadedPicture> {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const kind = readPictureType(head);
  const url = URL.createObjectURL(kind.type === 'image/svg+xml' ? await giveSize(file) : file);
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
    if (image.naturalWidth === 0) throw new Error('The picture has no size.');
  } catch (error) {
    URL.revokeObjectURL(url);
    throw new PictureError('unreadable', error);
  }
  return {
    ...kind,
    image,
    size: { width: image.naturalWidth, height: image.naturalHeight },
    release: () => URL.revokeObjectURL(url),
  };
}

/**
 * Returns an SVG with the size in which it is drawn. An SVG that is shown as a picture runs no script and
 * loads nothing.
 */
async function giveSize(file: Blob): Promise<Blob> {
  const bytes = await file.arrayBuffer();
  const isUtf16 = new Uint8Array(bytes, 0, 1)[0] === 0xff;
  const text = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
  const svg = sizeSvg(text);
  if (svg === null) throw new PictureError('unreadable');
  return new Blob([svg], { type: 'image/svg+xml' });
}

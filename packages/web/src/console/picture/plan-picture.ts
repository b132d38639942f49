import { LIMITS } from '@badge/protocol/limits';

export interface Size {
  width: number;
  height: number;
}

/** A square part of a picture, in its pixels. Where it is outside of the picture, nothing is drawn. */
export interface Square {
  x: number;
  y: number;
  side: number;
}

/**
 * The side of a square that is drawn in the browser. Even a PNG of noise with this side is within the
 * service's limit.
 */
export const DRAWN_SIDE = 2_048;

/** What the service stores as it is. */
const STORED_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

interface PictureFile extends Size {
  /** The type of the content. */
  type: string;
  isAnimated: boolean;
  bytes: number;
}

/**
 * What becomes of a picture before it is uploaded:
 * - `keep`: nothing. An animation would lose its movement
 * - `scale`: the whole square is drawn
 * - `crop`: a person chooses a square
 * - `refuse`: it is an animation that the service refuses
 */
export function planPicture({
  type,
  isAnimated,
  bytes,
  ...size
}: PictureFile): 'keep' | 'scale' | 'crop' | 'refuse' {
  const isAccepted = STORED_TYPES.includes(type) && bytes <= LIMITS.assetBytes && isWithinPixels(size);
  if (isAnimated) return isAccepted ? 'keep' : 'refuse';
  if (size.width !== size.height) return 'crop';
  return isAccepted ? 'keep' : 'scale';
}

function isWithinPixels({ width, height }: Size): boolean {
  const { assetSidePixels, assetPixels } = LIMITS;
  return Math.max(width, height) <= assetSidePixels && width * height <= assetPixels;
}

/** Where a picture is moved and how much it is magnified inside a frame, in pixels of the screen. */
export interface Placement {
  /** How far the centre of the picture is from that of the frame. */
  offset: { x: number; y: number };
  zoom: number;
  /** The size of the picture on the screen at zoom 1. */
  shown: Size;
  /** The side of the frame on the screen. */
  frameSide: number;
}

/** The part of a picture that is inside the frame. */
export function findFramedSquare(picture: Size, { offset, zoom, shown, frameSide }: Placement): Square {
  const scale = picture.width / (shown.width * zoom);
  const side = frameSide * scale;
  return {
    x: (picture.width - side) / 2 - offset.x * scale,
    y: (picture.height - side) / 2 - offset.y * scale,
    side,
  };
}

/**
 * How a square is drawn: its side, and a type that can show where there is nothing. Browsers draw PNG in
 * place of WebP if they cannot.
 */
export function planDrawing(picture: Size, square: Square, type: string): { side: number; type: string } {
  // Half a pixel is an inaccuracy of the screen.
  const isInside =
    Math.min(square.x, square.y) > -0.5 &&
    square.x + square.side < picture.width + 0.5 &&
    square.y + square.side < picture.height + 0.5;
  return {
    side: Math.max(1, Math.min(DRAWN_SIDE, Math.round(square.side))),
    type: (type === 'image/jpeg' && isInside) || type === 'image/webp' ? type : 'image/png',
  };
}

/**
 * The size in which an SVG is drawn: its shorter side as long as that of a square, unless the longer one
 * becomes too long.
 */
export function planSvgSize({ width, height }: Size): Size {
  const scale = Math.min(
    DRAWN_SIDE / Math.min(width, height),
    LIMITS.assetSidePixels / Math.max(width, height),
  );
  const toPixels = (length: number) => Math.max(1, Math.round(length * scale));
  return { width: toPixels(width), height: toPixels(height) };
}

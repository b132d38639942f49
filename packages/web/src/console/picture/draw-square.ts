import { type LoadedPicture, PictureError } from './load-picture.ts';
import { planDrawing, type Square } from './plan-picture.ts';

/** The quality of a JPEG or a WebP, from 0 to 1. */
const QUALITY = 0.9;

/** Draws a square part of a picture as a new file. Throws a `PictureError` if the browser cannot. */
export async function drawSquare(
  { image, size, type }: LoadedPicture,
  square: Square,
  name: string,
): Promise<File> {
  const drawing = planDrawing(size, square, type ?? '');
  const canvas = document.createElement('canvas');
  canvas.width = drawing.side;
  canvas.height = drawing.side;
  const context = canvas.getContext('2d');
  if (context === null) throw new PictureError('unreadable');
  const scale = drawing.side / square.side;
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, -square.x * scale, -square.y * scale, size.width * scale, size.height * scale);
  const { promise, resolve } = Promise.withResolvers<Blob | null>();
  try {
    canvas.toBlob(resolve, drawing.type, QUALITY);
  } catch (error) {
    // Some browsers do not give out what they have drawn of an SVG with HTML inside.
    throw new PictureError('unreadable', error);
  }
  const blob = await promise;
  if (blob === null) throw new PictureError('unreadable');
  return new File([blob], name, { type: blob.type });
}

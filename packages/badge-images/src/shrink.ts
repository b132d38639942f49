import { type Canvas, createCanvas, type Image } from '@napi-rs/canvas';

/** Returns a smaller copy of an image. */
export function shrink(image: Canvas | Image, { width, height }: { width: number; height: number }): Canvas {
  // A cubic filter looks at few pixels of the source, so it is sharp only down to half of the width. Mipmaps
  // lead there.
  const half =
    image.width > 2 * width ? draw(image, { width: 2 * width, height: 2 * height }, 'medium') : image;
  return draw(half, { width, height }, 'high');
}

function draw(
  image: Canvas | Image,
  { width, height }: { width: number; height: number },
  quality: 'medium' | 'high',
): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = quality;
  context.drawImage(image, 0, 0, width, height);
  return canvas;
}

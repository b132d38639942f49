import { createCanvas, loadImage } from '@napi-rs/canvas';

/** Returns the RGBA bytes of a PNG scaled to `size` by `size` pixels. */
export async function pixelsOf(png: Buffer, size: number): Promise<Uint8ClampedArray> {
  const context = createCanvas(size, size).getContext('2d');
  context.drawImage(await loadImage(png), 0, 0, size, size);
  return context.getImageData(0, 0, size, size).data;
}

/** Returns the mean difference of two images of the same size: 0 for equal ones, at most 1. */
export function meanDifference(one: Uint8ClampedArray, other: Uint8ClampedArray): number {
  let sum = 0;
  for (const [i, value] of one.entries()) sum += Math.abs(value - (other[i] ?? 0));
  return sum / one.length / 255;
}

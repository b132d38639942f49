import { createCanvas, loadImage } from '@napi-rs/canvas';

/** The RGBA bytes of a PNG, drawn `size` pixels wide and high. */
export async function pixelsOf(png: Buffer, size: number): Promise<Uint8ClampedArray> {
  const context = createCanvas(size, size).getContext('2d');
  context.drawImage(await loadImage(png), 0, 0, size, size);
  return context.getImageData(0, 0, size, size).data;
}

/** The mean difference of two pictures of one size, in fractions of the full range of a channel. */
export function meanDifference(one: Uint8ClampedArray, other: Uint8ClampedArray): number {
  let sum = 0;
  for (const [i, value] of one.entries()) sum += Math.abs(value - (other[i] ?? 0));
  return sum / one.length / 255;
}

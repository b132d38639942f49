import { createCanvas } from '@napi-rs/canvas';
import { drawHeadline } from '../headline/draw-headline.ts';

export const BOX = { x: 40, y: 60, width: 520, height: 392 };
export const WIDTH = 600;
export const HEIGHT = 500;

export function hasInk(pixels: Uint8ClampedArray | Buffer): boolean {
  for (let alpha = 3; alpha < pixels.length; alpha += 4) if (pixels[alpha]) return true;
  return false;
}

export function drawInBox(headline: string) {
  const context = createCanvas(WIDTH, HEIGHT).getContext('2d');
  drawHeadline(context, headline, '#000000', BOX);
  return context;
}

import type { SKRSContext2D } from '@napi-rs/canvas';
import { toDrawableText } from './drawable-text.ts';
import { type Box, fitHeadline, LINE_HEIGHT, MIDDLE, setFont } from './fit-headline.ts';

/** Draws a headline in the middle of a box: wrapped, as large as it fits, and nothing of it outside. */
export function drawHeadline(context: SKRSContext2D, headline: string, color: string, box: Box): void {
  const text = toDrawableText(headline);
  if (text.clusters.length === 0) return;
  const { lines, size } = fitHeadline(context, text, box);
  context.save();
  context.beginPath();
  context.rect(box.x, box.y, box.width, box.height);
  context.clip();
  setFont(context, text, size);
  context.fillStyle = color;
  const middle = box.y + box.height / 2 + MIDDLE * size;
  for (const [i, line] of lines.entries()) {
    const offset = (i - (lines.length - 1) / 2) * LINE_HEIGHT * size;
    context.fillText(line, box.x + box.width / 2, middle + offset);
  }
  context.restore();
}

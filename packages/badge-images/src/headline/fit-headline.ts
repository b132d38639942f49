import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Measure, splitWords, type Word, wrap } from './break-lines.ts';
import { clustersOf, type DrawableText } from './drawable-text.ts';

/** Lines of one size, in pixels, that lie inside a box. */
export interface FittedHeadline {
  readonly lines: readonly string[];
  readonly size: number;
}

/** A box on a picture, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const LARGEST = 140;
const SMALLEST = 26;
const SMALLEST_WITH_WHOLE_WORDS = 40;
const LARGEST_WITH_BROKEN_WORDS = 64;
const STEP = 0.94;
const MEASURED_SIZE = 100;
// Room for ink that stands out of its line, as Arabic descenders do, in fractions of the size. The measured bounds
// of ink are of no use: they are those of one run of a line (@napi-rs/canvas 1.0.11).
const OVERHANG = { width: 0.15, height: 0.4 };
const ELLIPSIS = '…';

/** The distance of two lines, and of a line's middle from its baseline, in fractions of the size. */
export const LINE_HEIGHT = 1.3;
export const MIDDLE = 0.357;

function* sizes(largest: number, smallest: number): Iterable<number> {
  for (let size = largest; size > smallest; size = Math.floor(size * STEP)) yield size;
  yield smallest;
}

/** Sets the context's font to the families of a text, in bold, at a size in pixels. */
export function setFont(context: SKRSContext2D, { families, direction }: DrawableText, size: number): void {
  context.font = `${size}px ${families}`;
  context.fontVariationSettings = '"wght" 700';
  context.direction = direction;
  context.textAlign = 'center';
}

function measureAtOnce(context: SKRSContext2D, text: DrawableText): Measure {
  const widths = new Map<string, number>();
  setFont(context, text, MEASURED_SIZE);
  return (part) => {
    let width = widths.get(part);
    if (width === undefined) {
      width = part === '' ? 0 : context.measureText(part).width / MEASURED_SIZE;
      widths.set(part, width);
    }
    return width;
  };
}

/** The same number of lines, of lengths as like each other as the words allow. */
function balance(
  words: readonly Word[],
  lines: string[],
  widest: number,
  limit: number,
  measure: Measure,
): string[] {
  let balanced = lines;
  let tooNarrow = widest;
  let wideEnough = limit;
  while (wideEnough - tooNarrow > limit / 50) {
    const width = (tooNarrow + wideEnough) / 2;
    const narrower = wrap(words, width, measure);
    if (narrower.length > lines.length) {
      tooNarrow = width;
    } else {
      wideEnough = width;
      balanced = narrower;
    }
  }
  return balanced;
}

function cutOff(line: string, limit: number, measure: Measure): string {
  const kept = clustersOf(line);
  const cut = () => kept.join('').trimEnd() + ELLIPSIS;
  while (kept.length > 0 && measure(cut()) > limit) kept.pop();
  return cut();
}

/** Whether the lines as shaped, joined and kerned are as narrow as the sum of their words said. */
function areNarrow(
  context: SKRSContext2D,
  text: DrawableText,
  { lines, size }: FittedHeadline,
  width: number,
) {
  setFont(context, text, size);
  return lines.every((line) => context.measureText(line).width <= width);
}

/** The largest size at which a text fits into a box, with whole words if it can; at the smallest size it is cut. */
export function fitHeadline(context: SKRSContext2D, text: DrawableText, box: Box): FittedHeadline {
  const words = splitWords(text.clusters);
  const measure = measureAtOnce(context, text);
  const widest = Math.max(0, ...words.map(({ clusters }) => measure(clusters.join(''))));
  const limitAt = (size: number) => box.width / size - OVERHANG.width;
  const maxLines = (size: number) => Math.floor((box.height / size - OVERHANG.height) / LINE_HEIGHT);

  const fit = (size: number, isWhole: boolean): FittedHeadline | undefined => {
    const limit = limitAt(size);
    if (isWhole && widest > limit) return undefined;
    const lines = wrap(words, limit, measure);
    if (lines.length > maxLines(size)) return undefined;
    const fitted = { lines: isWhole ? balance(words, lines, widest, limit, measure) : lines, size };
    return areNarrow(context, text, fitted, box.width) ? fitted : undefined;
  };

  for (const size of sizes(LARGEST, SMALLEST_WITH_WHOLE_WORDS)) {
    const fitted = fit(size, true);
    if (fitted) return fitted;
  }
  for (const size of sizes(LARGEST_WITH_BROKEN_WORDS, SMALLEST)) {
    const fitted = fit(size, false);
    if (fitted) return fitted;
  }
  const limit = limitAt(SMALLEST);
  const lines = wrap(words, limit, measure);
  const shown = lines.slice(0, maxLines(SMALLEST));
  if (lines.length > shown.length) shown.push(cutOff(shown.pop() ?? '', limit, measure));
  return { lines: shown, size: SMALLEST };
}

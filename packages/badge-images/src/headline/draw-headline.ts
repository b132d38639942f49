import type { SKRSContext2D } from '@napi-rs/canvas';
import { type Measure, splitWords, type Word, wrap } from './break-lines.ts';
import { clustersOf, type PreparedText, prepareText } from './prepared-text.ts';

/** A box on an image, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Lines that fit a box at the font size `size`, which is in pixels. */
export interface FittedHeadline {
  readonly lines: readonly string[];
  readonly size: number;
}

// Font sizes, in pixels:
const MAX_SIZE = 140;
const MIN_SIZE = 26;
const MIN_SIZE_WHOLE_WORDS = 40;
const MAX_SIZE_BROKEN_WORDS = 64;
const MEASURED_SIZE = 100;
/** Each font size that is tried is this fraction of the previous one. */
const SIZE_STEP = 0.94;
// Fractions of the font size:
const LINE_HEIGHT = 1.3;
export const BASELINE_BELOW_MIDDLE = 0.357;
// Space for ink outside the line, such as Arabic descenders. `measureText` does not return how much is
// needed: its bounds cover only one run of a line (@napi-rs/canvas 1.0.11).
const OVERHANG = { width: 0.15, height: 0.4 };
const ELLIPSIS = '…';

/** Draws a headline centred in a box: wrapped, as large as possible, and clipped to the box. */
export function drawHeadline(context: SKRSContext2D, headline: string, color: string, box: Box): void {
  const text = prepareText(headline);
  if (text.clusters.length === 0) return;
  const { lines, size } = fitHeadline(context, text, box);
  context.save();
  context.beginPath();
  context.rect(box.x, box.y, box.width, box.height);
  context.clip();
  setFont(context, text, size);
  context.fillStyle = color;
  const baseline = box.y + box.height / 2 + BASELINE_BELOW_MIDDLE * size;
  for (const [i, line] of lines.entries()) {
    const offset = (i - (lines.length - 1) / 2) * LINE_HEIGHT * size;
    context.fillText(line, box.x + box.width / 2, baseline + offset);
  }
  context.restore();
}

/** Sets the context's font and direction to those of a text. The font is bold, and the text is centred. */
export function setFont(context: SKRSContext2D, { families, direction }: PreparedText, size: number): void {
  context.font = `${size}px ${families}`;
  context.fontVariationSettings = '"wght" 700';
  context.direction = direction;
  context.textAlign = 'center';
}

/**
 * Breaks the text into lines, at the largest font size at which they fit the box. Keeps words whole if they
 * fit at `MIN_SIZE_WHOLE_WORDS` or more. If the text does not fit at `MIN_SIZE`, cuts it off with an
 * ellipsis.
 */
export function fitHeadline(context: SKRSContext2D, text: PreparedText, box: Box): FittedHeadline {
  const words = splitWords(text.clusters);
  const measure = createMeasure(context, text);
  const widestWord = Math.max(0, ...words.map(({ clusters }) => measure(clusters.join(''))));
  const maxWidth = (size: number) => box.width / size - OVERHANG.width;
  const maxLines = (size: number) => Math.floor((box.height / size - OVERHANG.height) / LINE_HEIGHT);

  const fit = (size: number, hasWholeWords: boolean): FittedHeadline | undefined => {
    const width = maxWidth(size);
    if (hasWholeWords && widestWord > width) return undefined;
    const lines = wrap(words, width, measure);
    if (lines.length > maxLines(size)) return undefined;
    const fitted = { lines: hasWholeWords ? balance(words, lines, widestWord, width, measure) : lines, size };
    return isNarrowEnough(context, text, fitted, box.width) ? fitted : undefined;
  };

  for (const size of sizes(MAX_SIZE, MIN_SIZE_WHOLE_WORDS)) {
    const fitted = fit(size, true);
    if (fitted) return fitted;
  }
  for (const size of sizes(MAX_SIZE_BROKEN_WORDS, MIN_SIZE)) {
    const fitted = fit(size, false);
    if (fitted) return fitted;
  }
  const width = maxWidth(MIN_SIZE);
  const lines = wrap(words, width, measure);
  const shown = lines.slice(0, maxLines(MIN_SIZE));
  if (lines.length > shown.length) shown.push(cutOff(shown.pop() ?? '', width, measure));
  return { lines: shown, size: MIN_SIZE };
}

function* sizes(largest: number, smallest: number): Iterable<number> {
  for (let size = largest; size > smallest; size = Math.floor(size * SIZE_STEP)) yield size;
  yield smallest;
}

/** Returns a function that measures parts of the text, in fractions of the font size. */
function createMeasure(context: SKRSContext2D, text: PreparedText): Measure {
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

/**
 * Makes the lines similar in length. Returns as many lines as before, wrapped at the smallest possible width.
 */
function balance(
  words: readonly Word[],
  lines: string[],
  widestWord: number,
  maxWidth: number,
  measure: Measure,
): string[] {
  let balanced = lines;
  let tooNarrow = widestWord;
  let wideEnough = maxWidth;
  while (wideEnough - tooNarrow > maxWidth / 50) {
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

/** Checks the width of whole lines. Shaping and kerning can make a line wider than the sum of its words. */
function isNarrowEnough(
  context: SKRSContext2D,
  text: PreparedText,
  { lines, size }: FittedHeadline,
  maxPixels: number,
): boolean {
  setFont(context, text, size);
  return lines.every((line) => context.measureText(line).width <= maxPixels);
}

function cutOff(line: string, maxWidth: number, measure: Measure): string {
  const kept = clustersOf(line);
  const cut = () => kept.join('').trimEnd() + ELLIPSIS;
  while (kept.length > 0 && measure(cut()) > maxWidth) kept.pop();
  return cut();
}

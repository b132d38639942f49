import { planSvgSize, type Size } from './plan-picture.ts';

/**
 * How many CSS pixels a unit has. Relative units, such as `%` and `em`, say nothing about an SVG on its own.
 */
const UNIT_PIXELS: Record<string, number> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  mm: 96 / 25.4,
  cm: 96 / 2.54,
  in: 96,
};
const PROLOG_PARTS = /<!--[\s\S]*?-->|<!DOCTYPE[^>[]*\[[^\]]*\]\s*>/gi;
const ROOT_TAG = /<(?:\w+:)?svg(?=[\s/>])(?:[^>"']|"[^"]*"|'[^']*')*>/;

/**
 * Gives an SVG the size in which it is drawn. Firefox draws no SVG without a size. Null if the text is no
 * SVG, or has no extent. The text is changed, not parsed, because the security policy of the page would
 * forbid the styles in it.
 */
export function sizeSvg(text: string): string | null {
  // Comments and the definitions in a DOCTYPE can contain other tags.
  const hidden = text.replace(PROLOG_PARTS, (part) => ' '.repeat(part.length));
  const { 0: tag, index = 0 } = ROOT_TAG.exec(hidden) ?? {};
  if (tag === undefined) return null;
  const viewBox = readAttribute(tag, 'viewBox');
  const size = readSize(readAttribute(tag, 'width'), readAttribute(tag, 'height'), viewBox);
  if (size === null) return null;
  const { width, height } = planSvgSize(size);
  // Without a box, the content would keep its size in a larger picture.
  const box = viewBox === null ? ` viewBox="0 0 ${size.width} ${size.height}"` : '';
  const sized = tag
    .replace(/\s(?:width|height)\s*=\s*(?:"[^"]*"|'[^']*')/g, '')
    .replace(/^<[\w:]+/, (name) => `${name} width="${width}" height="${height}"${box}`);
  return text.slice(0, index) + sized + text.slice(index + tag.length);
}

function readAttribute(tag: string, name: string): string | null {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  return match?.[1] ?? match?.[2] ?? null;
}

function readSize(width: string | null, height: string | null, viewBox: string | null): Size | null {
  const box = (viewBox ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const [, , boxWidth = Number.NaN, boxHeight = Number.NaN] = box;
  const ratio = boxWidth / boxHeight;
  const [wide, high] = [readLength(width), readLength(height)];
  // With one side, the other follows from the shape of the box. Without any, browsers use 300 by 150.
  const size = {
    width: wide ?? (high === null ? or(boxWidth, 300) : or(high * ratio, high)),
    height: high ?? (wide === null ? or(boxHeight, 150) : or(wide / ratio, wide)),
  };
  return size.width > 0 && size.height > 0 ? size : null;
}

function readLength(text: string | null): number | null {
  const match = /^\s*\+?(\d*\.?\d+(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i.exec(text ?? '');
  const pixels = UNIT_PIXELS[match?.[2]?.toLowerCase() ?? '?'];
  return match === null || pixels === undefined ? null : Number(match[1]) * pixels;
}

function or(value: number, other: number): number {
  return Number.isFinite(value) ? value : other;
}

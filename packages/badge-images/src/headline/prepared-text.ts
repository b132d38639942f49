import { createFontChoice, type FontChoice } from './fonts.ts';

/** A cleaned text, and the fonts that have a glyph for each of its grapheme clusters. */
export interface PreparedText {
  readonly clusters: readonly string[];
  /** A CSS font-family list. */
  readonly families: string;
  readonly direction: 'ltr' | 'rtl';
}

const REPLACEMENT = '\ufffd';
const ELLIPSIS = '…';

const BLANK = /[\p{Cc}\p{Z}]+/gu;
// Keeps joiners, the variation selector of emoji, and tags: they change how their neighbours are drawn.
const INVISIBLE = /[[\p{Default_Ignorable_Code_Point}\p{Cf}]--[\u200c\u200d\ufe0f\u{e0020}-\u{e007f}]]/gv;
const NEEDS_NO_GLYPH = /^[\p{Default_Ignorable_Code_Point}\p{Cf}]$/u;
// The first letter decides the direction of the text.
const FIRST_LETTER = /[\p{Script=Hebrew}\p{Script=Arabic}]|\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Splits a text into grapheme clusters. */
export function clustersOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

function visibleCodePoints(cluster: string): number[] {
  return Array.from(cluster)
    .filter((character) => !NEEDS_NO_GLYPH.test(character))
    .map((character) => character.codePointAt(0) ?? 0);
}

/**
 * Returns the cluster without the marks that no font has together with its base. Returns `U+FFFD` if no font
 * has the base.
 */
function toDrawable(cluster: string, fonts: FontChoice): string {
  const codePoints = visibleCodePoints(cluster);
  const [base] = codePoints;
  if (base === undefined) return '';
  if (fonts.choose(codePoints)) return cluster;
  if (!fonts.choose([base])) return fonts.choose([REPLACEMENT.charCodeAt(0)]) ? REPLACEMENT : '';
  let drawable = String.fromCodePoint(base);
  for (const mark of codePoints.slice(1)) {
    const longer = drawable + String.fromCodePoint(mark);
    if (fonts.choose(visibleCodePoints(longer))) drawable = longer;
  }
  return drawable;
}

/**
 * Removes blanks at both ends, and blanks after another blank. They are left where `toDrawable` removes
 * something.
 */
function withoutExtraBlanks(clusters: string[]): string[] {
  const kept = clusters.filter((cluster, i) => cluster !== ' ' || (i > 0 && clusters[i - 1] !== ' '));
  return kept.at(-1) === ' ' ? kept.slice(0, -1) : kept;
}

/**
 * Cleans a text and chooses its fonts. A run of blanks and control characters becomes one space, invisible
 * characters are removed, and characters that no font has become `U+FFFD`.
 */
export function prepareText(text: string): PreparedText {
  const cleaned = text.toWellFormed().normalize('NFC').replace(INVISIBLE, '').replace(BLANK, ' ').trim();
  const fonts = createFontChoice(cleaned);
  // The headline may be cut off later, so its fonts must include a space and an ellipsis.
  fonts.choose(visibleCodePoints(` ${ELLIPSIS}`));
  const drawable = clustersOf(cleaned).map((cluster) => toDrawable(cluster, fonts));
  const clusters = withoutExtraBlanks(drawable.filter((cluster) => cluster !== ''));
  const [firstLetter = ''] = FIRST_LETTER.exec(cleaned) ?? [];
  return {
    clusters,
    families: fonts.families(),
    direction: RIGHT_TO_LEFT.test(firstLetter) ? 'rtl' : 'ltr',
  };
}

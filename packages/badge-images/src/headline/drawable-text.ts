import { FontChoice } from './fonts.ts';

/** A text of which every grapheme cluster can be drawn, and the families that draw it. */
export interface DrawableText {
  readonly clusters: readonly string[];
  readonly families: string;
  readonly direction: 'ltr' | 'rtl';
}

const REPLACEMENT = '\ufffd';
const ELLIPSIS = '…';

const BLANK = /[\p{Cc}\p{Z}]+/gu;
const INVISIBLE = /[[\p{Default_Ignorable_Code_Point}\p{Cf}]--[\u200c\u200d\ufe0f\u{e0020}-\u{e007f}]]/gv;
const NEEDS_NO_GLYPH = /^[\p{Default_Ignorable_Code_Point}\p{Cf}]$/u;
const FIRST_STRONG = /[\p{Script=Hebrew}\p{Script=Arabic}]|\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The grapheme clusters of a text. */
export function clustersOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

function visibleCodePoints(cluster: string): number[] {
  return Array.from(cluster)
    .filter((character) => !NEEDS_NO_GLYPH.test(character))
    .map((character) => character.codePointAt(0) ?? 0);
}

/** The cluster, without the marks that no font has together with its base, or a replacement for it. */
function toDrawable(cluster: string, fonts: FontChoice): string {
  const codePoints = visibleCodePoints(cluster);
  const [base] = codePoints;
  if (base === undefined) return '';
  if (fonts.mayDraw(codePoints)) return cluster;
  if (!fonts.mayDraw([base])) return fonts.mayDraw([REPLACEMENT.charCodeAt(0)]) ? REPLACEMENT : '';
  let drawable = String.fromCodePoint(base);
  for (const mark of codePoints.slice(1)) {
    const longer = drawable + String.fromCodePoint(mark);
    if (fonts.mayDraw(visibleCodePoints(longer))) drawable = longer;
  }
  return drawable;
}

/** What of a text can be drawn: blanks and control characters are one space, unknown characters are `U+FFFD`. */
export function toDrawableText(text: string): DrawableText {
  const cleaned = text.toWellFormed().normalize('NFC').replace(INVISIBLE, '').replace(BLANK, ' ').trim();
  const fonts = new FontChoice(cleaned);
  fonts.mayDraw(visibleCodePoints(` ${ELLIPSIS}`));
  const drawable = clustersOf(cleaned).map((cluster) => toDrawable(cluster, fonts));
  const [strong = ''] = FIRST_STRONG.exec(cleaned) ?? [];
  return {
    clusters: drawable.filter((cluster) => cluster !== ''),
    families: fonts.families,
    direction: RIGHT_TO_LEFT.test(strong) ? 'rtl' : 'ltr',
  };
}

/** Grapheme clusters that stay on one line, if the line is wide enough. */
export interface Word {
  readonly clusters: readonly string[];
  readonly isAfterBlank: boolean;
}

const BLANK = ' ';
// Opening brackets and quotation marks, and the inverted marks of Spanish.
const NO_BREAK_AFTER = /^[\p{Ps}\p{Pi}¿¡]/u;
// Closing brackets and quotation marks, punctuation of Unicode's category Po, modifier letters, dashes and
// small kana.
const NO_BREAK_BEFORE = /^[\p{Pe}\p{Pf}\p{Po}\p{Lm}\p{Pd}ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ]/u;
// Dashes and slashes.
const BREAK_AFTER = /^[\p{Pd}/\\]/u;
// Chinese and Japanese characters, emoji and full-width forms.
const BREAK_ON_BOTH_SIDES =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\p{RGI_Emoji}\u3000-\u303f\uff00-\uffef]/v;
const THAI = /^\p{Script=Thai}/u;

// Thai has no blanks between words, so the segmenter finds the words in a dictionary.
const wordSegmenter = new Intl.Segmenter('th', { granularity: 'word' });

function mayBreakBetween(before: string, after: string): boolean {
  if (NO_BREAK_AFTER.test(before) || NO_BREAK_BEFORE.test(after)) return false;
  return BREAK_AFTER.test(before) || BREAK_ON_BOTH_SIDES.test(before) || BREAK_ON_BOTH_SIDES.test(after);
}

/**
 * Splits a text where lines may break. Follows the part of Unicode's line breaking rules (UAX 14) that the
 * supported scripts need.
 */
export function splitWords(clusters: readonly string[]): Word[] {
  const text = clusters.join('');
  const segmentStarts = new Set(Array.from(wordSegmenter.segment(text), ({ index }) => index));
  const words: Word[] = [];
  let word: string[] = [];
  let isAfterBlank = false;
  let position = 0;
  const endWord = () => {
    if (word.length > 0) words.push({ clusters: word, isAfterBlank });
    word = [];
    isAfterBlank = false;
  };
  for (const cluster of clusters) {
    if (cluster === BLANK) {
      endWord();
      isAfterBlank = true;
    } else {
      const before = word.at(-1);
      if (before !== undefined) {
        const isBetweenThaiWords = THAI.test(before) && THAI.test(cluster) && segmentStarts.has(position);
        if (isBetweenThaiWords || mayBreakBetween(before, cluster)) endWord();
      }
      word.push(cluster);
    }
    position += cluster.length;
  }
  endWord();
  return words;
}

/** Returns the width of a text, in the unit of `maxWidth`. */
export type Measure = (text: string) => number;

/** Fills lines up to `maxWidth`. A word that is wider than a line is broken between its clusters. */
export function wrap(words: readonly Word[], maxWidth: number, measure: Measure): string[] {
  const lines: string[] = [];
  let line = '';
  let lineWidth = 0;
  const endLine = () => {
    if (line !== '') lines.push(line);
    line = '';
    lineWidth = 0;
  };
  const append = (text: string, isAfterBlank: boolean) => {
    const blank = isAfterBlank && line !== '' ? BLANK : '';
    const width = measure(blank) + measure(text);
    if (lineWidth + width > maxWidth && line !== '') {
      endLine();
      append(text, false);
    } else {
      line += blank + text;
      lineWidth += width;
    }
  };
  for (const { clusters, isAfterBlank } of words) {
    const text = clusters.join('');
    if (measure(text) <= maxWidth) {
      append(text, isAfterBlank);
    } else {
      for (const [i, cluster] of clusters.entries()) append(cluster, isAfterBlank && i === 0);
    }
  }
  endLine();
  return lines;
}

/**
 * The sizes in which pictures are drawn and kept, in pixels. A size between two of them is rounded up.
 * Otherwise a client could have the service draw and keep hundreds of sizes of each picture.
 */
export const PICTURE_SIZES = [64, 128, 256, 512, 1_024] as const;

export const MIN_PICTURE_SIZE = PICTURE_SIZES[0];
export const MAX_PICTURE_SIZE = 1_024;

/** Returns the size in which a picture is drawn for a client that asks for `size` pixels. */
export function roundUpSize(size: number): number {
  return PICTURE_SIZES.find((one) => one >= size) ?? MAX_PICTURE_SIZE;
}

/** The content type of a smaller copy of a file (`shrink-file.ts` of badge-images). */
export function smallCopyType(contentType: string): string {
  return ['image/jpeg', 'image/webp'].includes(contentType) ? contentType : 'image/png';
}

const MAX_SHIELD_LETTERS = 40;
// A letter can have any number of marks above and below it.
const MAX_SHIELD_CHARACTERS = 120;
// XML allows no control characters, and the text must not reverse what is around it. Joiners stay: they are
// part of emoji.
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\ufffe\uffff]+/gu;
const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Returns a headline in one line, and shortened to what fits into a shield. */
export function toShieldText(headline: string): string {
  const line = headline.replaceAll(UNPRINTABLE, ' ').replaceAll(/\s+/g, ' ').trim();
  let text = '';
  let count = 0;
  for (const { segment } of letters.segment(line)) {
    count += 1;
    if (count > MAX_SHIELD_LETTERS || text.length + segment.length > MAX_SHIELD_CHARACTERS) {
      return `${text.trimEnd()}…`;
    }
    text += segment;
  }
  return text;
}

// The tables of the library have the widths of these scripts. Letters of all others count as much too wide.
const MEASURED_SCRIPTS =
  /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Common}\p{Script=Inherited}]/u;

/**
 * Returns a text that is about as wide as a text of a shield, of letters whose width is known. It is empty
 * only if the text is, and has no space around it, because the library would remove it.
 */
export function toMeasuredText(text: string): string {
  const measured = Array.from(text, (letter) => {
    if (MEASURED_SCRIPTS.test(letter)) return letter;
    // Marks are above or below their letter.
    return /\p{Mn}/u.test(letter) ? '' : 'n';
  })
    .join('')
    .trim();
  return measured === '' && text !== '' ? 'n' : measured;
}

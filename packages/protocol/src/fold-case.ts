// Lower-case letters that share their upper-case letter with another one, such as µ and μ, ſ and s, ς and σ.
// U+0345 is outside of the class, because it would combine with the letter before it.
const LETTER_VARIANTS =
  /[\u00b5\u017fσς\u03d0\u03d1\u03d5\u03d6\u03f0\u03f1\u03f5\u1c80-\u1c88\u1e9b\u1fbe]|\u0345/gu;

/**
 * Returns a form that is equal for texts that differ only in case (Unicode's simple case folding).
 * `toLowerCase` alone would keep `σ` and `ς` different, so such letters are first replaced by their
 * upper-case letter. `toUpperCase` alone would make `ı` and `i`, or `ß` and `ss`, equal.
 *
 * Exceptions: `İ` equals `i` with a combining dot. U+FB05, U+1FD3 and U+1FE3 differ from the letters that
 * they equal since Unicode 15.1.
 */
export function foldCase(text: string): string {
  return text.replace(LETTER_VARIANTS, (letter) => letter.toUpperCase()).toLowerCase();
}

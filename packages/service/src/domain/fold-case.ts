// Lower-case letters that have the same upper case as another letter, such as µ and μ, ſ and s, ς and σ.
const LETTER_VARIANTS =
  /[\u00b5\u017fσς\u03d0\u03d1\u03d5\u03d6\u03f0\u03f1\u03f5\u1c80-\u1c88\u1e9b\u1fbe]|\u0345/gu;

/**
 * Returns a form that is equal for texts that differ only in case (Unicode's simple case folding). `toLowerCase` alone
 * depends on where a sigma stands. `toUpperCase` alone makes `ı` and `i`, or `ß` and `ss`, equal.
 */
export function foldCase(text: string): string {
  return text.replace(LETTER_VARIANTS, (letter) => letter.toUpperCase()).toLowerCase();
}

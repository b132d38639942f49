import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HEADLINE_SAMPLES } from '../testing/headline-samples.ts';
import { prepareText } from './prepared-text.ts';

function drawn(text: string): string {
  return prepareText(text).clusters.join('');
}

describe('prepareText', () => {
  it.each([
    ['line breaks, tabs and control characters', 'one\r\ntwo\tthree\u0007four', 'one two three four'],
    ['blanks of all kinds', '\u2003 one\u00a0\u3000two \u2028', 'one two'],
    ['a text of blanks', ' \n\u3000 ', ''],
    ['invisible formatting characters', 'a\u202eb\u2066c\u00add\ufeff\u200b', 'abcd'],
    ['characters that no font has', 'a\u{10ffff}\ue000', 'a\ufffd\ufffd'],
    ['half a surrogate pair', 'a\ud83d', 'a\ufffd'],
    ['decomposed letters', 'e\u0301', '\u00e9'],
    ['a combining mark that is not in the font of the letter before it', 'a\u0e31', 'a'],
    ['joiners that join nothing', '\u200d\u200c\ufe0f', ''],
  ])('cleans %s', (_, text, expected) => {
    expect(drawn(text)).toBe(expected);
  });

  it('keeps an emoji sequence as one cluster', () => {
    expect(prepareText('👩‍👩‍👧‍👦🇩🇪👍🏽1️⃣').clusters).toEqual(['👩‍👩‍👧‍👦', '🇩🇪', '👍🏽', '1️⃣']);
  });

  it('keeps a joiner inside a Persian word', () => {
    expect(drawn('جامعه\u200cی')).toBe('جامعه\u200cی');
  });

  it.each([
    ['Hello שלום', 'ltr'],
    ['2026 שלום Hello', 'rtl'],
    ['«مرحبا» Hello', 'rtl'],
    ['123', 'ltr'],
  ])('takes the direction of %s from its first letter', (text, direction) => {
    expect(prepareText(text).direction).toBe(direction);
  });

  it('uses the Japanese font for Han characters in a text with kana, and the Chinese font in a text of Han characters alone', () => {
    expect(prepareText('感謝します').families).toMatch(/noto-sans-jp/);
    expect(prepareText('感謝します').families).not.toMatch(/noto-sans-sc/);
    expect(prepareText('感谢').families).toMatch(/noto-sans-sc/);
  });

  it('has a font for every character in the samples, except in `unknown`', () => {
    for (const [name, headline] of Object.entries(HEADLINE_SAMPLES)) {
      expect(drawn(headline).includes('\ufffd'), name).toBe(name === 'unknown');
    }
  });

  it('keeps one blank where marks after a blank were removed, and none at the end', () => {
    // No font has U+A8B4, a combining mark.
    expect(drawn('a \ua8b4 b \ua8b4')).toBe('a b');
  });

  it('does not change a text that is already clean', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(drawn(drawn(text))).toBe(drawn(text));
      }),
      { numRuns: 50 },
    );
  });
});

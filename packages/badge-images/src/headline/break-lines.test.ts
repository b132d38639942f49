import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitWords, wrap } from './break-lines.ts';
import { clustersOf } from './prepared-text.ts';

function words(text: string): string[] {
  return splitWords(clustersOf(text)).map(({ clusters }) => clusters.join(''));
}

function lines(text: string, limit: number): string[] {
  return wrap(splitWords(clustersOf(text)), limit, (part) => clustersOf(part).length);
}

describe('splitWords', () => {
  it.each([
    ['at blanks', 'one two', ['one', 'two']],
    ['after hyphens', 'well-known', ['well-', 'known']],
    ['between Chinese characters, but not before a full stop', '感谢您。好', ['感', '谢', '您。', '好']],
    ['before an opening bracket, but not after it', '说「好」吧', ['说', '「好」', '吧']],
    ['between kana, but not before small ones', 'チャット', ['チャッ', 'ト']],
    ['around emoji', '👍🏽🇩🇪ok', ['👍🏽', '🇩🇪', 'ok']],
    ['between Thai words', 'ขอบคุณสำหรับ', ['ขอบคุณ', 'สำหรับ']],
    ['Korean text only at blanks', '기여해 주셔서', ['기여해', '주셔서']],
    ['neither contractions nor decimal numbers', "don't 3.14", ["don't", '3.14']],
  ])('breaks %s', (_, text, expected) => {
    expect(words(text)).toEqual(expected);
  });
});

describe('wrap', () => {
  it('fills lines, and drops the blank at a line break', () => {
    expect(lines('one two three', 7)).toEqual(['one two', 'three']);
  });

  it('breaks a word that is wider than a line, between its clusters', () => {
    expect(lines('ab 👍🏽👍🏽abcdefg', 3)).toEqual(['ab', '👍🏽👍🏽a', 'bcd', 'efg']);
  });

  it('drops only blanks, and no line is wider than the limit', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 80 }),
        fc.integer({ min: 1, max: 20 }),
        (text, limit) => {
          const wrapped = lines(text, limit);
          expect(wrapped.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
          for (const line of wrapped) expect(clustersOf(line).length).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });
});

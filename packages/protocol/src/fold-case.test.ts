import { expect, test } from 'vitest';
import { foldCase } from './fold-case.ts';

test.each([
  ['final sigma', ['ΝΙΚΟΣ@x.gr', 'νικος@x.gr', 'νικοσ@X.GR', 'Νικος@x.gr'], 1],
  ['sigma inside a word', ['ΟΔΥΣΣΕΑΣ', 'οδυσσεας', 'οδυςςεας'], 1],
  ['Turkish i', ['ı', 'i', 'I'], 2],
  ['dotted I', ['İ', 'i\u0307', 'I\u0307'], 1],
  ['dotted and plain I', ['İ', 'I'], 2],
  ['sharp s', ['ß', 'ẞ'], 1],
  ['sharp s and two s', ['straße', 'strasse', 'STRASSE'], 2],
  ['long s', ['ſ', 's', 'S'], 1],
  ['micro sign and mu', ['µ', 'μ', 'Μ'], 1],
  ['Cherokee', ['ꭰ', 'Ꭰ'], 1],
  ['letters beyond the first plane', ['𐐀', '𐐨'], 1],
])('%s: %j have %i different folded forms', (_title, texts, count) => {
  expect(new Set(texts.map(foldCase)).size).toBe(count);
});

test('a letter and its other cases of one character have the same folded form if and only if Unicode folds them together', () => {
  const letters = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint)
    .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
    .map((codePoint) => String.fromCodePoint(codePoint))
    .filter((letter) => letter.toLowerCase() !== letter || letter.toUpperCase() !== letter);
  const wrong = letters.filter((letter) =>
    [letter.toLowerCase(), letter.toUpperCase(), foldCase(letter)].some((other) => {
      if ([...other].length !== 1) return false;
      // With these flags, a pattern ignores case by Unicode's simple case folding.
      const isFoldedTogether = new RegExp(`^${other}$`, 'iu').test(letter);
      return (foldCase(letter) === foldCase(other)) !== isFoldedTogether;
    }),
  );
  expect(wrong).toEqual([]);
});

test('İ folds to i with a combining dot', () => {
  expect(foldCase('İ')).toBe('i\u0307');
});

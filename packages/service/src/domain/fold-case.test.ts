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

test('two letters have the same folded form if and only if Unicode folds them together; İ folds to i with a dot', () => {
  const letters = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint)
    .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
    .map((codePoint) => String.fromCodePoint(codePoint))
    .filter((letter) => letter.toLowerCase() !== letter || letter.toUpperCase() !== letter);
  const wrong = letters.filter((letter) =>
    [letter.toLowerCase(), letter.toUpperCase(), foldCase(letter)].some((other) => {
      if ([...other].length !== 1) return false;
      const isFoldedTogether = new RegExp(`^${other}$`, 'iu').test(letter);
      return (foldCase(letter) === foldCase(other)) !== isFoldedTogether;
    }),
  );
  expect(wrong).toEqual([]);
  expect(foldCase('İ')).toBe('i\u0307');
});

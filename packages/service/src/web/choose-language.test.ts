import { expect, test } from 'vitest';
import { chooseLanguage } from './choose-language.ts';

test.each([
  ['es', undefined, 'es'],
  ['ar', 'es', 'ar'],
  ['fr', 'es-MX,es;q=0.9', 'es'],
  [['es', 'ar'], 'en', 'en'],
  [undefined, 'fr-FR, ar-EG;q=0.8, en;q=0.9', 'en'],
  [undefined, 'de, AR;q=0.2', 'ar'],
  [undefined, 'es;q=0, en;q=0.1', 'en'],
  [undefined, 'es;q=x, ar;q=0.1', 'ar'],
  [undefined, '*', 'en'],
  [undefined, undefined, 'en'],
  ['', '', 'en'],
] as const)('with `language` %j and Accept-Language %j, the page is in %s', (inUrl, header, expected) => {
  expect(chooseLanguage(inUrl, header)).toBe(expected);
});

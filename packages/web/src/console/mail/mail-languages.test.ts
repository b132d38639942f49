import { expect, test } from 'vitest';
import { readMailLanguage } from './mail-languages.ts';

test.for([
  ['en', 'en'],
  [' ES ', 'es'],
  ['es-MX', 'es'],
  ['ar_EG', 'ar'],
  ['Español', 'es'],
  ['Inglés', 'en'],
  ['العربية', 'ar'],
  ['الإنجليزية', 'en'],
  ['fr', null],
  ['', null],
  ['toString', null],
] as const)('the language %j is %s', ([text, language]) => {
  expect(readMailLanguage(text)).toBe(language);
});

import { expect, test } from 'vitest';
import { findLinks } from './find-links.ts';

test.for([
  ['no links', []],
  ['We are at https://example.org/about.', ['https://example.org/about']],
  [
    '(see https://example.org/a), https://example.org/a and http://b.example!',
    ['https://example.org/a', 'http://b.example'],
  ],
  ['https://example.org/wiki/Badge_(token)', ['https://example.org/wiki/Badge_(token)']],
  ['زورونا: https://example.org؟', ['https://example.org']],
  ['javascript:alert(1) https:// example.org', []],
] as const)('finds the links in %j', ([text, links]) => {
  expect(findLinks(text)).toEqual(links);
});

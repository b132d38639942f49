import { expect, test } from 'vitest';
import { isWebLink, picturePath } from './urls.ts';

test('picturePath returns the path of a picture on any origin', () => {
  expect(picturePath('https://badge.example/images/token/7.png')).toBe('/images/token/7.png');
  expect(picturePath('/images/nft/defaultOrangeRed.png')).toBe('/images/nft/defaultOrangeRed.png');
});

test('picturePath returns the poster of a video', () => {
  expect(picturePath('http://localhost:3000/images/token/7.mp4')).toBe('/images/token/7.png');
  expect(picturePath('http://localhost:3000/images/token/7.webm')).toBe('/images/token/7.png');
});

test.for([
  ['https://example.org/talk?x=1#y', true],
  ['http://example.org', true],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['example.org', false],
  ['', false],
] as const)('isWebLink(%j) is %j', ([link, expected]) => {
  expect(isWebLink(link)).toBe(expected);
});

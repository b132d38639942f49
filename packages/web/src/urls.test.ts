import { expect, test } from 'vitest';
import { assetPath, isAddress, isVideo, isWebLink, parseTokenId, picturePath } from './urls.ts';

test('assetPath puts the last two segments of the URL below /images, whatever comes before them', () => {
  expect(assetPath('https://badge.example/images/token/7.png')).toBe('/images/token/7.png');
  expect(assetPath('/images/nft/defaultOrangeRed.png')).toBe('/images/nft/defaultOrangeRed.png');
  expect(assetPath('https://cdn.example/badge/pictures/token/7.mp4')).toBe('/images/token/7.mp4');
});

test('picturePath returns the poster of a video', () => {
  expect(picturePath('http://localhost:3000/images/token/7.mp4')).toBe('/images/token/7.png');
  expect(picturePath('http://localhost:3000/images/token/7.webm')).toBe('/images/token/7.png');
  expect(picturePath('http://localhost:3000/images/token/7.jpg')).toBe('/images/token/7.jpg');
});

test('isVideo recognizes MP4 and WebM', () => {
  expect(isVideo('http://localhost:3000/images/token/7.mp4')).toBe(true);
  expect(isVideo('http://localhost:3000/images/token/7.webm')).toBe(true);
  expect(isVideo('http://localhost:3000/images/token/7.gif')).toBe(false);
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

test.for([
  ['7', 7],
  ['0', null],
  ['07', null],
  ['-1', null],
  ['1e3', null],
  ['9999999999999999', null],
  ['', null],
] as const)('parseTokenId(%j) is %j', ([text, expected]) => {
  expect(parseTokenId(text)).toBe(expected);
});

test('isAddress accepts 40 hex digits after 0x, in upper or lower case', () => {
  expect(isAddress(`0x${'aB'.repeat(20)}`)).toBe(true);
  expect(isAddress('aB'.repeat(20))).toBe(false);
  expect(isAddress(`0x${'a'.repeat(39)}`)).toBe(false);
  expect(isAddress(`0x${'g'.repeat(40)}`)).toBe(false);
});

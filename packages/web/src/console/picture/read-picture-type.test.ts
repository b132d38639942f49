import { expect, test } from 'vitest';
import { readPictureType } from './read-picture-type.ts';

const PNG = `\x89PNG\r\n\x1a\n\0\0\0\rIHDR${'\0'.repeat(17)}`;
const chunk = (name: string, length = 0) =>
  `\0\0\0${String.fromCharCode(length)}${name}${'\0'.repeat(length + 4)}`;
const webp = (name: string, flags: string) => `RIFF\0\0\0\0WEBP${name}\x0a\0\0\0${flags}\0\0\0`;

test.each([
  ['a PNG', PNG + chunk('tEXt', 5) + chunk('IDAT'), 'image/png', false],
  ['an animated PNG', PNG + chunk('tEXt', 5) + chunk('acTL', 8) + chunk('IDAT'), 'image/png', true],
  ['a PNG with the letters acTL in its pixels', `${PNG + chunk('IDAT', 4)}acTL`, 'image/png', false],
  ['a PNG that ends early', PNG.slice(0, 20), 'image/png', false],
  ['a JPEG', '\xff\xd8\xff\xe0', 'image/jpeg', false],
  ['a GIF', 'GIF89a', 'image/gif', true],
  ['a WebP', webp('VP8 ', '\x02'), 'image/webp', false],
  ['a WebP with transparency', webp('VP8X', '\x10'), 'image/webp', false],
  ['an animated WebP', webp('VP8X', '\x12'), 'image/webp', true],
  ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', false],
  ['an SVG after a byte order mark', '\xef\xbb\xbf<?xml version="1.0"?>', 'image/svg+xml', false],
  ['an SVG in UTF-16', '\xff\xfe<\0s\0v\0g\0', 'image/svg+xml', false],
  ['an SVG after a comment', '\n<!-- Made by hand -->', 'image/svg+xml', false],
  ['a web page', '<!doctype html><svg>', null, false],
  ['a text', 'Ada Lovelace', null, false],
  ['an empty file', '', null, false],
] as const)('%s', (_, content, type, isAnimated) => {
  const head = Uint8Array.from(content, (letter) => letter.charCodeAt(0));
  expect(readPictureType(head)).toEqual({ type, isAnimated });
});

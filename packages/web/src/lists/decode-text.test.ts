import { expect, test } from 'vitest';
import { decodeText } from './decode-text.ts';

const bytesOf = (...bytes: number[]) => new Uint8Array(bytes);

test('decodes UTF-8, without its byte order mark', () => {
  expect(decodeText(new TextEncoder().encode('Zoë, 王'))).toBe('Zoë, 王');
  expect(decodeText(bytesOf(0xef, 0xbb, 0xbf, 0x5a, 0x6f, 0xc3, 0xab))).toBe('Zoë');
});

test('decodes bytes that are not UTF-8 as Windows-1252', () => {
  expect(decodeText(bytesOf(0x5a, 0x6f, 0xeb))).toBe('Zoë');
  // ISO 8859-1 has control characters at these places.
  expect(decodeText(bytesOf(0x8a, 0x61, 0x9a, 0x61, 0x20, 0x80))).toBe('Šaša €');
});

test('decodes UTF-16 with a byte order mark, and a file of one byte', () => {
  expect(decodeText(bytesOf(0xff, 0xfe, 0x5a, 0x00, 0x6f, 0x00, 0xeb, 0x00))).toBe('Zoë');
  expect(decodeText(bytesOf(0xff))).toBe('ÿ');
  expect(decodeText(bytesOf())).toBe('');
});

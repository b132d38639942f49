import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { bakeCredential, findBakedCredentials, isPng } from './png.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const CREDENTIAL = '{"name":"日本語 🏅"}';

function chunksOf(png: Uint8Array) {
  const bytes = Buffer.from(png);
  const chunks: { type: string; content: Buffer }[] = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const content = bytes.subarray(at + 8, at + 8 + length);
    expect(bytes.readUInt32BE(at + 8 + length)).toBe(crc32(content, crc32(type)));
    chunks.push({ type, content });
    at += 12 + length;
  }
  return chunks;
}

test('a baked picture has one text chunk with the credential, and is otherwise the same', () => {
  const baked = bakeCredential(PNG, CREDENTIAL);
  const chunks = chunksOf(baked);
  expect(chunks.map(({ type }) => type)).toEqual(['IHDR', 'iTXt', 'IDAT', 'IEND']);
  expect(chunks[1]?.content.toString()).toBe(`openbadgecredential\0\0\0\0\0${CREDENTIAL}`);
  expect(chunksOf(PNG)).toEqual(chunks.toSpliced(1, 1));
  expect(findBakedCredentials(baked)).toEqual([CREDENTIAL]);
});

test('a credential replaces an earlier one', () => {
  const baked = bakeCredential(bakeCredential(PNG, 'former'), CREDENTIAL);
  expect(baked).toEqual(bakeCredential(PNG, CREDENTIAL));
});

test('a picture without a credential has none, and neither has one with a compressed text', () => {
  expect(findBakedCredentials(PNG)).toEqual([]);
  const baked = Buffer.from(bakeCredential(PNG, CREDENTIAL));
  baked[baked.indexOf('openbadgecredential') + 'openbadgecredential'.length + 1] = 1;
  expect(findBakedCredentials(baked)).toEqual([null]);
});

test('bytes that are not a PNG, or a part of one, are not read beyond their end', () => {
  expect(isPng(PNG)).toBe(true);
  for (const bytes of [Buffer.of(), Buffer.from('text'), Buffer.from('\x89PNG')]) {
    expect(isPng(bytes)).toBe(false);
    expect(findBakedCredentials(bytes)).toEqual([]);
    expect(() => bakeCredential(bytes, CREDENTIAL)).toThrow('not a PNG');
  }
  const baked = bakeCredential(PNG, CREDENTIAL);
  for (let length = 0; length < baked.length; length += 1) {
    const [found = CREDENTIAL, ...others] = findBakedCredentials(baked.subarray(0, length));
    expect([found, ...others]).toEqual([CREDENTIAL]);
  }
});

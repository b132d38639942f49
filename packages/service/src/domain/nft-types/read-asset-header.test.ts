import { describe, expect, test } from 'vitest';
import { readAssetHeader } from './read-asset-header.ts';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const size = (width: number, height: number) => ({ width, height });

// The start of a JPEG, a metadata segment, and a frame header, as hex.
const SOI = 'ffd8';
const APP0 = 'ffe0 0004 4a46';
const sof = (marker: string, height = '0010', width = '0020') => `${marker} 0011 08 ${height} ${width} 03`;

describe('the size of a JPEG is read from its first frame header', () => {
  test.each([
    ['in a baseline JPEG', `${SOI} ${APP0} ${sof('ffc0')}`],
    ['in a progressive JPEG', `${SOI} ${APP0} ${sof('ffc2')}`],
    ['in a lossless JPEG', `${SOI} ${APP0} ${sof('ffc3')}`],
    ['right after the start marker', `${SOI} ${sof('ffc1')}`],
    ['after tables', `${SOI} ffdb 0003 00 ffc4 0003 00 ffcc 0003 00 ${sof('ffc0')}`],
    ['after fill bytes', `${SOI} ffff ${APP0} ffffff ${sof('ffc0').slice(2)}`],
    [
      'before a second frame header',
      `${SOI} ${sof('ffc0')} ${'00'.repeat(9)} ${sof('ffc2', 'ffff', 'ffff')}`,
    ],
    [
      'after metadata that contains a frame header',
      `${SOI} ffe1 0014 ${sof('ffc0', 'ffff', 'ffff')} ${'00'.repeat(8)} ${sof('ffc0')}`,
    ],
  ])('%s', (_title, hex) => {
    expect(readAssetHeader(bytes(hex))).toEqual({ contentType: 'image/jpeg', size: size(32, 16) });
  });

  test.each([
    ['no frame header', `${SOI} ${APP0}`],
    ['a scan before the frame header', `${SOI} ${APP0} ffda 0003 00 ${sof('ffc0')}`],
    ['a restart marker', `${SOI} ffd0 ${sof('ffc0')}`],
    ['a length that is too short', `${SOI} ffe0 0001 ${sof('ffc0')}`],
    ['bytes between segments', `${SOI} ${APP0} 00 ${sof('ffc0')}`],
    ['a segment that does not end', `${SOI} ffe0 ffff ${sof('ffc0')}`],
    ['a height of 0', `${SOI} ${sof('ffc0', '0000')}`],
    ['an incomplete frame header', `${SOI} ffc0 0011 08 00`],
  ])('a file with %s is rejected', (_title, hex) => {
    expect(readAssetHeader(bytes(hex))).toBeNull();
  });
});

const RIFF = '52494646 00000000 57454250';

describe('the size of a WebP is read from its first chunk', () => {
  test.each([
    ['in a lossy WebP', `${RIFF} 56503820 00000000 100200 9d012a 2000 1040`],
    ['in a lossless WebP', `${RIFF} 5650384c 00000000 2f 1fc00300`],
    ['in an extended WebP', `${RIFF} 56503858 00000000 00000000 1f0000 0f0000`],
  ])('%s', (_title, hex) => {
    expect(readAssetHeader(bytes(hex))).toEqual({ contentType: 'image/webp', size: size(32, 16) });
  });

  test.each([
    ['another first chunk', `${RIFF} 414e494d 00000000 00000000 1f0000 0f0000`],
    ['a lossy chunk without its start code', `${RIFF} 56503820 00000000 100200 000000 2000 1000`],
    ['a lossless chunk without its signature', `${RIFF} 5650384c 00000000 00 1fc00300`],
    ['an incomplete chunk', `${RIFF} 56503858 0000`],
  ])('a file with %s is rejected', (_title, hex) => {
    expect(readAssetHeader(bytes(hex))).toBeNull();
  });
});

test('the size of a PNG or GIF is read from a fixed position', () => {
  const png = `89504e470d0a1a0a 0000000d 49484452 0000c350 00000010`;
  expect(readAssetHeader(bytes(png))).toEqual({ contentType: 'image/png', size: size(50_000, 16) });
  expect(readAssetHeader(bytes('474946383961 2000 1000'))).toEqual({
    contentType: 'image/gif',
    size: size(32, 16),
  });
});

test.each([
  ['video/mp4', '00000014 66747970 69736f6d'],
  ['video/mp4', '00000014 66747970 6d703432'],
  ['video/webm', '1a45dfa3 9f 4286 81 01 4282 84 7765626d'],
  ['video/webm', '1a45dfa3 0100000000000023 4282 0100000000000004 7765626d'],
])('a %s is recognized by its container', (contentType, hex) => {
  expect(readAssetHeader(bytes(hex))).toEqual({ contentType, size: null });
});

test.each([
  ['an incomplete GIF header', '474946383961 2000'],
  ['a GIF of an unknown version', '474946383861 2000 1000'],
  ['a QuickTime file', '00000014 66747970 71742020'],
  ['an AVIF file', '00000014 66747970 61766966'],
  ['a Matroska file', '1a45dfa3 8b 4282 88 6d6174726f736b61'],
  ['a file with "webm" far from its start', `1a45dfa3 ${'00'.repeat(100)} 4282 84 7765626d`],
  ['an empty file', ''],
])('%s is rejected', (_title, hex) => {
  expect(readAssetHeader(bytes(hex))).toBeNull();
});

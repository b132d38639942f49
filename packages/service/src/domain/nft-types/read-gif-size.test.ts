import { expect, test } from 'vitest';
import { readGifSize } from './read-gif-size.ts';

const fileOf = (bytes: Buffer) => ({
  read: async (position: number, length: number) => bytes.subarray(position, position + length),
});
const uint16 = (...values: number[]) => Buffer.from(new Uint16Array(values).buffer);
const screen = (width: number, height: number, flags = 0) =>
  Buffer.concat([Buffer.from('GIF89a'), uint16(width, height), Buffer.from([flags, 0, 0])]);
const subBlocks = (...lengths: number[]) =>
  Buffer.concat([...lengths.map((length) => Buffer.alloc(length + 1, length)), Buffer.from([0])]);
// The colour table is full of commas. A comma is also the first byte of a frame.
const frame = ([left, top, width, height]: number[], flags = 0, data = subBlocks(5)) =>
  Buffer.concat([
    Buffer.from(','),
    uint16(left ?? 0, top ?? 0, width ?? 0, height ?? 0),
    Buffer.from([flags]),
    Buffer.alloc(flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0, 0x2c),
    Buffer.from([2]),
    data,
  ]);
const extension = (...lengths: number[]) =>
  Buffer.concat([Buffer.from('!\xf9', 'latin1'), subBlocks(...lengths)]);
const END = Buffer.from(';');
const measure = (...parts: Buffer[]) => readGifSize(fileOf(Buffer.concat(parts)));

test.each<[string, Buffer[], [number, number]]>([
  ['no frame', [screen(3, 4), END], [3, 4]],
  ['no trailer', [screen(3, 4)], [3, 4]],
  ['a frame as large as the screen', [screen(3, 4), frame([0, 0, 3, 4]), END], [3, 4]],
  ['a frame larger than the screen', [screen(1, 1), frame([0, 0, 65_535, 60_000]), END], [65_535, 60_000]],
  ['a frame that begins inside and ends outside', [screen(9, 9), frame([5, 6, 5, 5]), END], [10, 11]],
  ['a screen of 0 by 0 pixels and a larger frame', [screen(0, 0), frame([0, 0, 7, 8]), END], [7, 8]],
  [
    'a large frame after small ones',
    [screen(2, 2), frame([0, 0, 2, 2]), extension(4), frame([0, 0, 2, 9]), END],
    [2, 9],
  ],
  ['colour tables', [screen(1, 1, 0xf7), Buffer.alloc(768, 0x2c), frame([0, 0, 2, 2], 0x87), END], [2, 2]],
  [
    'a large frame after 20 MB of data',
    [
      screen(1, 1),
      frame([0, 0, 1, 1], 0, subBlocks(...Array(80_000).fill(255))),
      frame([0, 0, 9_000, 9_000]),
    ],
    [9_000, 9_000],
  ],
  [
    'a large frame after many extensions',
    [screen(1, 1), ...Array.from({ length: 70_000 }, () => extension(1)), frame([0, 0, 8, 9]), END],
    [8, 9],
  ],
  [
    'image data that looks like a frame',
    [
      screen(1, 1),
      frame(
        [0, 0, 1, 1],
        0,
        Buffer.concat([Buffer.from([11]), frame([0, 0, 99, 99]).subarray(0, 11), Buffer.from([0])]),
      ),
      END,
    ],
    [1, 1],
  ],
  ['bytes after the end', [screen(1, 1), END, frame([0, 0, 9, 9])], [1, 1]],
  ['a truncated frame', [screen(1, 1), frame([0, 0, 9, 9]).subarray(0, 14)], [9, 9]],
  ['an incomplete frame header', [screen(1, 1), frame([0, 0, 9, 9]).subarray(0, 6)], [1, 1]],
])('readGifSize measures a GIF with %s', async (_title, parts, [width, height]) => {
  expect(await measure(...parts)).toEqual({ width, height });
});

test.each<[string, Buffer[]]>([
  ['an incomplete screen descriptor', [screen(3, 4).subarray(0, 9)]],
  ['an unknown block', [screen(1, 1), Buffer.from('x'), frame([0, 0, 9, 9])]],
  ['zeros between blocks', [screen(1, 1), frame([0, 0, 1, 1]), Buffer.alloc(3), frame([0, 0, 9, 9])]],
])('a file with %s is not a GIF', async (_title, parts) => {
  expect(await measure(...parts)).toBeNull();
});

test('readGifSize finds a frame at any distance from the end of a read', async () => {
  for (let padding = 1; padding <= 255; padding += 1) {
    const data = subBlocks(...Array<number>(255).fill(255), padding);
    const size = await measure(screen(1, 1), frame([0, 0, 1, 1], 0, data), frame([0, 0, 7, 9]), END);
    expect(size, String(padding)).toEqual({ width: 7, height: 9 });
  }
});

test('readGifSize waits only when it reads the file, not at each of very many blocks', async () => {
  const blocks = Buffer.alloc(2 ** 20, extension());
  let isMeasured = false;
  const measuring = measure(screen(3, 4), blocks).finally(() => {
    isMeasured = true;
  });
  let waits = 0;
  while (!isMeasured) {
    waits += 1;
    await null;
  }
  expect(await measuring).toEqual({ width: 3, height: 4 });
  expect(waits).toBeLessThan(1_000);
});

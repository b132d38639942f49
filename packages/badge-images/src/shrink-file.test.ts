import { createCanvas, loadImage } from '@napi-rs/canvas';
import { afterAll, expect, it } from 'vitest';
import { createImageRenderer } from './image-renderer.ts';
import { shrinkFile } from './shrink-file.ts';
import { meanDifference, pixelsOf } from './testing/pixels.ts';

const spec = (sizePixels: number, contentType = 'image/png') =>
  ({ kind: 'file', fileId: 'a', contentType, sizePixels }) as const;

/** Draws a chessboard with squares of `step` pixels: what is worst for a picture that is made smaller. */
function drawChessboard(width: number, height: number, step: number): Buffer {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, width, height);
  context.fillStyle = '#000000';
  for (let y = 0; y < height; y += step) {
    for (let x = (y / step) % 2 === 0 ? 0 : step; x < width; x += 2 * step)
      context.fillRect(x, y, step, step);
  }
  return canvas.encodeSync('png');
}

const readers: { close(): Promise<void> }[] = [];
afterAll(async () => {
  await Promise.all(readers.map((reader) => reader.close()));
});

it.each([
  [1_000, 1_000, 64, 64, 64],
  [4_000, 1_000, 128, 128, 32],
  [10, 8_000, 64, 1, 64],
  [300, 301, 256, 255, 256],
])('%i by %i pixels become %i at most: %i by %i', async (width, height, size, newWidth, newHeight) => {
  const small = await shrinkFile(drawChessboard(width, height, 50), spec(size));
  const image = await loadImage(small ?? new Uint8Array());
  expect([image.width, image.height]).toEqual([newWidth, newHeight]);
});

it('mixes all pixels of a large picture', async () => {
  const small = await shrinkFile(drawChessboard(2_048, 2_048, 2), spec(64));
  const grey = createCanvas(64, 64);
  grey.getContext('2d').fillStyle = '#808080';
  grey.getContext('2d').fillRect(0, 0, 64, 64);
  const pixels = await pixelsOf(Buffer.from(small ?? []), 64);
  expect(meanDifference(pixels, await pixelsOf(grey.encodeSync('png'), 64))).toBeLessThan(0.02);
});

it('keeps what is transparent', async () => {
  const canvas = createCanvas(200, 200);
  canvas.getContext('2d').fillRect(0, 0, 100, 200);
  const small = await shrinkFile(canvas.encodeSync('png'), spec(64));
  const [left, right] = [4 * (32 * 64 + 5) + 3, 4 * (32 * 64 + 60) + 3];
  const pixels = await pixelsOf(Buffer.from(small ?? []), 64);
  expect([pixels[left], pixels[right]]).toEqual([255, 0]);
});

it.each([
  ['a file that is not larger', drawChessboard(64, 20, 5)],
  ['a text', Buffer.from('no picture')],
  ['an empty file', Buffer.alloc(0)],
  ['the start of a JPEG', createCanvas(500, 500).encodeSync('jpeg').subarray(0, 100)],
])('returns null for %s', async (_, file) => {
  expect(await shrinkFile(file, spec(64))).toBeNull();
});

it('a renderer shrinks files in its thread, keeps them, and returns an empty image for the file itself', async () => {
  let reads = 0;
  const renderer = createImageRenderer({
    timeoutMs: 30_000,
    readFile: async (fileId) => {
      reads += 1;
      return Uint8Array.from(fileId === 'broken' ? Buffer.from('broken') : drawChessboard(400, 200, 10));
    },
  });
  readers.push(renderer);
  const large = { ...spec(128, 'image/jpeg'), fileId: 'large' };
  const jpeg = await renderer.render(large);
  expect(jpeg.toString('hex', 0, 3)).toBe('ffd8ff');
  expect((await renderer.render(large)).equals(jpeg)).toBe(true);
  expect(reads).toBe(1);
  const broken = { ...spec(128), fileId: 'broken' };
  expect(await renderer.render(broken)).toHaveLength(0);
  expect(await renderer.render(broken)).toHaveLength(0);
  expect(reads).toBe(2);
  expect(renderer.hashOf(large)).not.toBe(renderer.hashOf({ ...large, sizePixels: 64 }));
});

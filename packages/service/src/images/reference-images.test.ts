import { readFile, writeFile } from 'node:fs/promises';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { afterAll, expect, it } from 'vitest';
import { BUILT_IN_DESIGNS } from './designs.ts';
import { ImageRenderer } from './image-renderer.ts';
import type { Picture } from './picture.ts';
import { HEADLINE_SAMPLES } from './testing/headline-samples.ts';
import { meanDifference, pixelsOf } from './testing/pixels.ts';

// `UPDATE_REFERENCES=1 vitest run reference-images` draws the references anew, to be looked at before a commit.
const isUpdate = process.env.UPDATE_REFERENCES === '1';

const SIZE = 200;
const TOLERANCE = 0.004;
const SAMPLES = ['latin', 'polytonic', 'cyrillic', 'mixedArabic', 'hebrew', 'japanese', 'emoji', 'longLatin'];

const renderer = new ImageRenderer({ cacheBytes: 0, maxQueued: 64, timeoutMs: 20_000 });
afterAll(() => renderer.close());

const pictures: [name: string, picture: Picture][] = [
  ...BUILT_IN_DESIGNS.map(({ id }, i): [string, Picture] => {
    const sample = SAMPLES[i] ?? '';
    const headline = HEADLINE_SAMPLES[sample] ?? '';
    return [`${id}-${sample}`, { kind: 'token', designId: id, headline }];
  }),
  ['poster', { kind: 'poster', headline: HEADLINE_SAMPLES.sentence ?? '' }],
  ['logo', { kind: 'logo' }],
];

it.each(pictures)('%s looks as it did', async (name, picture) => {
  const png = await renderer.render(picture);
  const path = new URL(`./testing/references/${name}.png`, import.meta.url);
  if (isUpdate) {
    const canvas = createCanvas(SIZE, SIZE);
    canvas.getContext('2d').drawImage(await loadImage(png), 0, 0, SIZE, SIZE);
    await writeFile(path, await canvas.encode('png'));
  }
  const reference = await pixelsOf(await readFile(path), SIZE);
  expect(meanDifference(await pixelsOf(png, SIZE), reference)).toBeLessThan(TOLERANCE);
});

it('tells a picture without its headline from the one with it', async () => {
  const bare = await pixelsOf(await renderer.render({ kind: 'design', designId: 'defaultOrangeRed' }), SIZE);
  const path = new URL('./testing/references/defaultOrangeRed-latin.png', import.meta.url);
  expect(meanDifference(bare, await pixelsOf(await readFile(path), SIZE))).toBeGreaterThan(2 * TOLERANCE);
});

import { readFile, writeFile } from 'node:fs/promises';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { afterAll, expect, it } from 'vitest';
import { BUILT_IN_DESIGNS } from './designs.ts';
import { createImageRenderer } from './image-renderer.ts';
import { HEADLINE_SAMPLES } from './testing/headline-samples.ts';
import { meanDifference, pixelsOf } from './testing/pixels.ts';

// `UPDATE_REFERENCES=1 npx vitest run draw-image` writes new references. Look at them before you
// commit.
const isUpdate = process.env.UPDATE_REFERENCES === '1';

const SIZE = 200;
const TOLERANCE = 0.004;
const SAMPLES = ['latin', 'polytonic', 'cyrillic', 'mixedArabic', 'hebrew', 'japanese', 'emoji', 'longLatin'];

// On a busy machine, the first image takes long, because it loads the fonts.
const renderer = createImageRenderer({ cacheBytes: 0, timeoutMs: 30_000 });
afterAll(() => renderer.close());

const images: [name: string, render: () => Promise<Buffer>][] = [
  ...BUILT_IN_DESIGNS.map(({ id }, i): [string, () => Promise<Buffer>] => {
    const sample = SAMPLES[i] ?? '';
    const headline = HEADLINE_SAMPLES[sample] ?? '';
    return [`${id}-${sample}`, () => renderer.render({ kind: 'token', designId: id, headline })];
  }),
  ['poster', () => renderer.render({ kind: 'poster', headline: HEADLINE_SAMPLES.sentence ?? '' })],
  ['logo', () => renderer.render({ kind: 'logo' })],
];

it.each(images)('%s matches its reference', async (name, render) => {
  const png = await render();
  const path = new URL(`./testing/references/${name}.png`, import.meta.url);
  if (isUpdate) {
    const canvas = createCanvas(SIZE, SIZE);
    canvas.getContext('2d').drawImage(await loadImage(png), 0, 0, SIZE, SIZE);
    await writeFile(path, await canvas.encode('png'));
  }
  const reference = await pixelsOf(await readFile(path), SIZE);
  expect(meanDifference(await pixelsOf(png, SIZE), reference)).toBeLessThan(TOLERANCE);
});

it('a missing headline changes an image by more than twice the tolerance', async () => {
  const bare = await pixelsOf(await renderer.render({ kind: 'design', designId: 'defaultOrangeRed' }), SIZE);
  const path = new URL('./testing/references/defaultOrangeRed-latin.png', import.meta.url);
  expect(meanDifference(bare, await pixelsOf(await readFile(path), SIZE))).toBeGreaterThan(2 * TOLERANCE);
});

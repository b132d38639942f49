import { writeFile } from 'node:fs/promises';
import { BUILT_IN_DESIGNS, createImageRenderer } from '@badge/badge-images';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { HEADLINE_SAMPLES } from '../packages/badge-images/src/testing/headline-samples.ts';

// Writes one PNG with every design and every sample headline, so that a person can check them:
// npx node scripts/contact-sheet.ts PATH [PIXELS PER IMAGE]

const COLUMNS = 8;
const [path, pixels = '250'] = process.argv.slice(2);
if (!path) throw new Error('usage: contact-sheet.ts PATH [PIXELS PER IMAGE]');
const cell = Number(pixels);

const { render, close } = createImageRenderer();
const images: Promise<Buffer>[] = [
  ...BUILT_IN_DESIGNS.map(({ id }) => render({ kind: 'design', designId: id })),
  ...BUILT_IN_DESIGNS.map(({ id }) =>
    render({ kind: 'token', designId: id, headline: HEADLINE_SAMPLES.sentence ?? '' }),
  ),
  ...Object.values(HEADLINE_SAMPLES).map((headline, i) =>
    render({ kind: 'token', designId: BUILT_IN_DESIGNS[i % BUILT_IN_DESIGNS.length]?.id ?? '', headline }),
  ),
  ...['sentence', 'arabic', 'short', 'longLatin'].map((sample) =>
    render({ kind: 'poster', headline: HEADLINE_SAMPLES[sample] ?? '' }),
  ),
];

const sheet = createCanvas(COLUMNS * cell, Math.ceil(images.length / COLUMNS) * cell);
const context = sheet.getContext('2d');
for (const [i, png] of images.entries()) {
  const image = await loadImage(await png);
  context.drawImage(image, (i % COLUMNS) * cell, Math.floor(i / COLUMNS) * cell, cell, cell);
}
await writeFile(path, await sheet.encode('png'));
await close();

import { writeFile } from 'node:fs/promises';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { BUILT_IN_DESIGNS } from '../packages/service/src/images/designs.ts';
import {
  closeRenderer,
  renderDesign,
  renderPoster,
  renderTokenImage,
} from '../packages/service/src/images/render-image.ts';
import { HEADLINE_SAMPLES } from '../packages/service/src/images/testing/headline-samples.ts';

// All designs, all scripts and all difficult headlines on one PNG, to be looked at:
// node scripts/contact-sheet.ts PATH [PIXELS OF A PICTURE]

const COLUMNS = 8;
const [path, pixels = '250'] = process.argv.slice(2);
if (!path) throw new Error('usage: contact-sheet.ts PATH [PIXELS OF A PICTURE]');
const cell = Number(pixels);

const pictures: Promise<Buffer>[] = [
  ...BUILT_IN_DESIGNS.map(({ id }) => renderDesign(id)),
  ...BUILT_IN_DESIGNS.map(({ id }) =>
    renderTokenImage({ designId: id, headline: HEADLINE_SAMPLES.sentence ?? '' }),
  ),
  ...Object.values(HEADLINE_SAMPLES).map((headline, i) =>
    renderTokenImage({ designId: BUILT_IN_DESIGNS[i % BUILT_IN_DESIGNS.length]?.id ?? '', headline }),
  ),
  ...['sentence', 'arabic', 'short', 'longLatin'].map((sample) =>
    renderPoster({ headline: HEADLINE_SAMPLES[sample] ?? '' }),
  ),
];

const sheet = createCanvas(COLUMNS * cell, Math.ceil(pictures.length / COLUMNS) * cell);
const context = sheet.getContext('2d');
for (const [i, picture] of pictures.entries()) {
  const image = await loadImage(await picture);
  context.drawImage(image, (i % COLUMNS) * cell, Math.floor(i / COLUMNS) * cell, cell, cell);
}
await writeFile(path, await sheet.encode('png'));
await closeRenderer();

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_DESIGNS } from './designs.ts';
import { drawImage } from './draw-image.ts';
import { createImageRenderer } from './image-renderer.ts';
import { DESIGN_SIZE } from './sizes.ts';
import { HEADLINE_SAMPLES } from './testing/headline-samples.ts';
import { pixelsOf } from './testing/pixels.ts';
import { HEADLINE, imageRendererFixture } from './testing/rendered-images.ts';

const { renderDesign, renderTokenImage, expectCompletePng } = imageRendererFixture();

it.each(BUILT_IN_DESIGNS.slice(1))(
  '$id: renders a complete PNG of the right size, with and without a headline',
  async ({ id }) => await expectCompletePng(id),
);

describe.each(BUILT_IN_DESIGNS)('$id', ({ id, headlineArea }) => {
  it.each([
    ['a sentence', HEADLINE],
    ['1,000 characters of emoji', HEADLINE_SAMPLES.longEmoji ?? ''],
  ])('changes no pixel outside the headline area if the headline is %s', async (_, headline) => {
    const bare = await pixelsOf(await renderDesign(id), DESIGN_SIZE);
    const token = await pixelsOf(await renderTokenImage({ designId: id, headline }), DESIGN_SIZE);
    const { x, y, width, height } = headlineArea;
    let changedInside = 0;
    let changedOutside = 0;
    for (let i = 0; i < bare.length; i += 4) {
      if (bare[i] === token[i] && bare[i + 1] === token[i + 1] && bare[i + 2] === token[i + 2]) continue;
      const column = (i / 4) % DESIGN_SIZE;
      const row = Math.floor(i / 4 / DESIGN_SIZE);
      if (column >= x && column < x + width && row >= y && row < y + height) changedInside += 1;
      else changedOutside += 1;
    }
    expect(changedOutside).toBe(0);
    expect(changedInside).toBeGreaterThan(5_000);
  });
});

it('renders the same bytes without system fonts as with them', async () => {
  // The worker thread loads no system fonts. `drawImage` runs in this thread, which loads them.
  for (const headline of [HEADLINE_SAMPLES.emoji, HEADLINE_SAMPLES.mixedArabic, HEADLINE_SAMPLES.unknown]) {
    const token = { designId: 'defaultGoldBlack', headline: headline ?? '' };
    const png = await renderTokenImage(token);
    expect(
      drawImage({ kind: 'token', ...token })
        .encodeSync('png')
        .equals(png),
      headline,
    ).toBe(true);
  }
});

it('caches finished images up to its limit', async () => {
  const small = createImageRenderer({ cacheBytes: 700 * 1024 });
  const render = (headline: string) => renderTokenImage({ designId: 'defaultGreenPurple', headline }, small);
  const first = await render('0');
  for (const headline of ['1', '2', '3']) {
    await render(headline);
    expect(small.cachedBytes).toBeLessThanOrEqual(700 * 1024);
  }
  const again = await render('0');
  expect(again).not.toBe(first);
  expect(again.equals(first)).toBe(true);
  await small.close();
});

it('does not block the event loop while it renders', async () => {
  const uncached = createImageRenderer({ cacheBytes: 0, timeoutMs: 30_000 });
  const images = 6;
  // The processor time of this thread does not depend on what else the machine does.
  const before = process.threadCpuUsage();
  await Promise.all(
    Array.from({ length: images }, (_, i) =>
      renderTokenImage({ designId: 'defaultBlueGreen', headline: `${HEADLINE} ${i}` }, uncached),
    ),
  );
  const { user, system } = process.threadCpuUsage(before);
  const busyMs = (user + system) / 1_000;
  await uncached.close();
  // An image that is drawn in this thread takes 40 ms or more.
  expect(busyMs / images).toBeLessThan(20);
});

it('does not keep the process alive when all images are rendered', async () => {
  const script = `
    import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)})
      .then(({ createImageRenderer }) => createImageRenderer())
      .then(({ render }) => render({ kind: 'token', designId: 'defaultOrangeRed', headline: 'bye' }))
      .then((png) => process.stdout.write(String(png.length)));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', script], {
    timeout: 25_000,
  });
  expect(Number(stdout)).toBeGreaterThan(100_000);
});

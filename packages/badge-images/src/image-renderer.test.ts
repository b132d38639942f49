import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { BUILT_IN_DESIGNS } from './designs.ts';
import { drawImage } from './draw-image.ts';
import { createImageRenderer } from './image-renderer.ts';
import { DESIGN_SIZE, LOGO_SIZE } from './sizes.ts';
import { HEADLINE_SAMPLES } from './testing/headline-samples.ts';
import { pixelsOf } from './testing/pixels.ts';

const PNG_SIGNATURE = '89504e470d0a1a0a';
const MAX_DESIGN_BYTES = 320 * 1024;
const MAX_TOKEN_BYTES = 640 * 1024;
const HEADLINE = 'Thank you for two hundred reviews';

const renderer = createImageRenderer({ timeoutMs: 30_000 });
type Token = { designId: string; headline: string };
const renderDesign = (designId: string) => renderer.render({ kind: 'design', designId });
const renderTokenImage = (token: Token, from = renderer) => from.render({ kind: 'token', ...token });
const renderPoster = (headline: string) => renderer.render({ kind: 'poster', headline });
afterAll(() => renderer.close());

function pngHeader(png: Buffer) {
  return {
    signature: png.toString('hex', 0, 8),
    chunk: png.toString('latin1', 12, 16),
    width: png.readUInt32BE(16),
    height: png.readUInt32BE(20),
    end: png.toString('latin1', png.length - 8, png.length - 4),
  };
}

/** What `pngHeader` returns for a complete PNG of this width and height. */
function squareHeader(size: number) {
  return { signature: PNG_SIGNATURE, chunk: 'IHDR', width: size, height: size, end: 'IEND' };
}

it('renders the same preview as the image, and caches it only if it is more than a preview', async () => {
  const previewing = createImageRenderer({ timeoutMs: 30_000 });
  onTestFinished(() => previewing.close());
  const spec = { kind: 'token', designId: 'defaultOrangeRed', headline: 'Preview' } as const;
  const preview = await previewing.render(spec, { client: 'client', isPreview: true });
  expect(previewing.cachedBytes).toBe(0);
  expect((await previewing.render(spec)).equals(preview)).toBe(true);
  expect(previewing.cachedBytes).toBe(preview.length);
});

describe.each(BUILT_IN_DESIGNS)('$id', ({ id, headlineArea }) => {
  // reference-images.test.ts renders every design.
  const tags = id === BUILT_IN_DESIGNS[0]?.id ? [] : ['slow'];
  it('renders a complete PNG of the right size, with and without a headline', { tags }, async () => {
    const bare = await renderDesign(id);
    const token = await renderTokenImage({ designId: id, headline: HEADLINE });
    expect(pngHeader(bare)).toEqual(squareHeader(DESIGN_SIZE));
    expect(pngHeader(token)).toEqual(squareHeader(DESIGN_SIZE));
    expect(bare.length).toBeLessThan(MAX_DESIGN_BYTES);
    expect(token.length).toBeLessThan(MAX_TOKEN_BYTES);
  });

  it.each([
    ['a sentence', HEADLINE],
    ['1,000 characters of emoji', HEADLINE_SAMPLES.longEmoji ?? ''],
  ])(
    'changes no pixel outside the headline area if the headline is %s',
    { tags: ['slow'] },
    async (_, headline) => {
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
    },
  );
});

it('renders eight different designs', async () => {
  const designs = await Promise.all(BUILT_IN_DESIGNS.map(({ id }) => renderDesign(id)));
  expect(new Set(designs.map((png) => png.toString('base64'))).size).toBe(8);
});

it('renders the logo, and a poster with its headline', async () => {
  expect(pngHeader(await renderer.render({ kind: 'logo' }))).toEqual(squareHeader(LOGO_SIZE));
  const poster = await renderPoster(HEADLINE);
  expect(pngHeader(poster)).toEqual(squareHeader(DESIGN_SIZE));
  expect(poster.equals(await renderPoster('Another'))).toBe(false);
});

it('rejects an unknown design id, and still renders the next image', async () => {
  await expect(renderDesign('defaultNone')).rejects.toThrow('no built-in design defaultNone');
  await expect(renderTokenImage({ designId: 'logo', headline: 'a' })).rejects.toThrow(
    'no built-in design logo',
  );
  expect((await renderDesign('defaultOrangeRed')).length).toBeGreaterThan(0);
});

it('renders the same bytes without system fonts as with them', { tags: ['slow'] }, async () => {
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

it('renders an image once for concurrent and later calls', async () => {
  const token = { designId: 'defaultBlueGreen', headline: 'one render' };
  const [one, same] = await Promise.all([renderTokenImage(token), renderTokenImage(token)]);
  expect(same).toBe(one);
  expect(await renderTokenImage({ ...token })).toBe(one);
  expect(await renderTokenImage({ ...token, headline: 'another render' })).not.toBe(one);
});

it('caches finished images up to its limit', { tags: ['slow'] }, async () => {
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

describe('with a disk cache', () => {
  async function makeDirectory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'badge-images-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    return directory;
  }
  const open = (directory: string, onRendered?: () => void) =>
    createImageRenderer({
      diskCache: { directory, maxBytes: 8 * 2 ** 20 },
      ...(onRendered === undefined ? {} : { onRendered }),
    });
  const TOKEN = { designId: 'defaultOrangeRed', headline: 'kept on disk' };

  it('returns the same bytes after a restart, without rendering', async () => {
    const directory = await makeDirectory();
    const first = open(directory);
    const png = await renderTokenImage(TOKEN, first);
    await first.close();
    let renders = 0;
    const restarted = open(directory, () => {
      renders += 1;
    });
    const [one, same] = await Promise.all([
      renderTokenImage(TOKEN, restarted),
      renderTokenImage(TOKEN, restarted),
    ]);
    expect(one.equals(png)).toBe(true);
    expect(same).toBe(one);
    expect(renders).toBe(0);
    await restarted.close();
  });

  it('renders an image once for concurrent calls, and writes it to one file', async () => {
    const directory = await makeDirectory();
    let renders = 0;
    const opened = open(directory, () => {
      renders += 1;
    });
    await Promise.all(Array.from({ length: 20 }, () => renderTokenImage(TOKEN, opened)));
    await opened.close();
    expect(renders).toBe(1);
    expect(await readdir(directory)).toEqual([opened.hashOf({ kind: 'token', ...TOKEN })]);
  });

  it('renders images if the directory cannot be used, and reports the error', async () => {
    const errors: Error[] = [];
    const directory = '/dev/null/images';
    const opened = createImageRenderer({
      diskCache: { directory, maxBytes: 8 * 2 ** 20 },
      onDiskError: (error) => errors.push(error),
    });
    expect((await renderTokenImage(TOKEN, opened)).length).toBeGreaterThan(0);
    await opened.close();
    expect(errors[0]).toMatchObject({ code: 'ENOTDIR' });
  });
});

it('returns the same hash for equal images, and different hashes for different images', () => {
  const hash = renderer.hashOf({ kind: 'poster', headline: 'a' });
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(renderer.hashOf({ kind: 'poster', headline: 'a' })).toBe(hash);
  expect(renderer.hashOf({ kind: 'poster', headline: 'b' })).not.toBe(hash);
});

it('does not block the event loop while it renders', { tags: ['slow'] }, async () => {
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

it('does not keep the process alive when all images are rendered', { tags: ['slow'] }, async () => {
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

import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BUILT_IN_DESIGNS } from './designs.ts';
import { createImageRenderer } from './image-renderer.ts';
import { DESIGN_SIZE, LOGO_SIZE } from './sizes.ts';
import { HEADLINE, imageRendererFixture, pngHeader, squareHeader } from './testing/rendered-images.ts';

const { renderer, renderDesign, renderTokenImage, expectCompletePng } = imageRendererFixture();

const renderPoster = (headline: string) => renderer.render({ kind: 'poster', headline });

it('renders the same preview as the image, and caches it only if it is more than a preview', async () => {
  const previewing = createImageRenderer({ timeoutMs: 30_000 });
  onTestFinished(() => previewing.close());
  const spec = { kind: 'token', designId: 'defaultOrangeRed', headline: 'Preview' } as const;
  const preview = await previewing.render(spec, { client: 'client', isPreview: true });
  expect(previewing.cachedBytes).toBe(0);
  expect((await previewing.render(spec)).equals(preview)).toBe(true);
  expect(previewing.cachedBytes).toBe(preview.length);
});

// draw-image.test.ts renders every design.
it.each(BUILT_IN_DESIGNS.slice(0, 1))(
  '$id: renders a complete PNG of the right size, with and without a headline',
  async ({ id }) => await expectCompletePng(id),
);

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

it('renders an image once for concurrent and later calls', async () => {
  const token = { designId: 'defaultBlueGreen', headline: 'one render' };
  const [one, same] = await Promise.all([renderTokenImage(token), renderTokenImage(token)]);
  expect(same).toBe(one);
  expect(await renderTokenImage({ ...token })).toBe(one);
  expect(await renderTokenImage({ ...token, headline: 'another render' })).not.toBe(one);
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

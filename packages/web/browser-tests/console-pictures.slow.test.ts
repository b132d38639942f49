import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { browserTest } from './harness/browser.ts';
import { openConsole } from './harness/console.ts';
import { expectAccessible } from './harness/page-checks.ts';
import { takeScreenshots } from './harness/screenshots.ts';
import { sharedSite } from './harness/site.ts';

const site = sharedSite();
const [RED, BLUE, NOTHING] = ['red', 'blue', 'nothing'];
let communities = 0;

async function openForm(path: string, options = {}) {
  communities += 1;
  const communityId = `pictures-${communities}-${Date.now()}`;
  await site.operator.createCommunity({ uniqId: communityId, displayId: communityId, name: 'Meetup' });
  const { apiKey } = await site.operator.createApiKey({ communityId, name: 'Test', role: 'owner' });
  const page = await openConsole(site, path, { key: apiKey, ...options });
  return { page, communityId };
}

interface TestPicture {
  name: string;
  width: number;
  height: number;
  /** The orientation that a camera notes in a JPEG. */
  orientation?: number;
  /** The bytes that follow the picture. Decoders ignore them. */
  extraBytes?: number;
}

/** Drops a picture whose left half is red and whose right half is blue, as the pixels are stored. */
async function dropPicture(page: Page, picture: TestPicture): Promise<void> {
  const transfer = await page.evaluateHandle(async ({ name, width, height, orientation, extraBytes = 0 }) => {
    const canvas = document.createElement('canvas');
    Object.assign(canvas, { width, height });
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('no canvas');
    for (const [index, colour] of ['red', 'blue'].entries()) {
      context.fillStyle = colour;
      context.fillRect((index * width) / 2, 0, width / 2, height);
    }
    const type = name.endsWith('.png') ? 'image/png' : 'image/jpeg';
    const { promise, resolve } = Promise.withResolvers<Blob | null>();
    canvas.toBlob(resolve, type);
    const drawn = (await promise) as Blob;
    // TIFF in the order of Motorola, with one entry: 0x0112, one number of 16 bits.
    const exif = [0xff, 0xe1, 0, 34, 69, 120, 105, 102, 0, 0, 77, 77, 0, 42, 0, 0, 0, 8, 0, 1];
    exif.push(0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation ?? 1, 0, 0, 0, 0, 0, 0);
    const parts =
      orientation === undefined
        ? [drawn, new Uint8Array(extraBytes)]
        : [drawn.slice(0, 2), new Uint8Array(exif), drawn.slice(2)];
    const data = new DataTransfer();
    data.items.add(new File(parts, name, { type }));
    return data;
  }, picture);
  await page.getByRole('group', { name: 'Design' }).dispatchEvent('drop', { dataTransfer: transfer });
}

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Choose what is shown' });
const use = (page: Page) => page.getByRole('button', { name: 'Use this picture' });
const frame = (page: Page) => page.getByRole('application');

/** Waits for a design, and reads its file. */
async function readDesign(page: Page, communityId: string, name: string) {
  await page.getByRole('radio', { name, exact: true }).waitFor();
  const { data } = await site.operator.listNftTypes({ communityId });
  const { previewAssetUrl } = data.find((design) => design.name === name) ?? { previewAssetUrl: '' };
  const response = await fetch(new URL(new URL(previewAssetUrl).pathname, site.url));
  const bytes = Buffer.from(await response.arrayBuffer());
  return { type: response.headers.get('content-type'), bytes, ...(await measure(page, previewAssetUrl)) };
}

/** The size of a picture, and its colours at the left, at the right, at the top and at the bottom. */
async function measure(page: Page, url: string) {
  return await page.evaluate(async (path) => {
    const bitmap = await createImageBitmap(await (await fetch(path)).blob());
    const { width, height } = bitmap;
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    context?.drawImage(bitmap, 0, 0);
    const colours = [
      [0.1, 0.5],
      [0.9, 0.5],
      [0.5, 0.1],
      [0.5, 0.9],
    ].map(([x = 0, y = 0]) => {
      const pixel = context?.getImageData(Math.floor(x * width), Math.floor(y * height), 1, 1).data;
      const [red = 0, , blue = 0, alpha = 0] = pixel ?? [];
      if (alpha < 10) return 'nothing';
      return red > blue ? 'red' : 'blue';
    });
    return { width, height, colours };
  }, new URL(url).pathname);
}

browserTest('a wide photograph is cropped by keyboard', async () => {
  const { page, communityId } = await openForm('/make');
  await dropPicture(page, { name: 'wide.jpg', width: 800, height: 400 });
  await dialog(page).waitFor();
  await expect.poll(() => frame(page).evaluate((element) => element === document.activeElement)).toBe(true);
  await expectAccessible(page);
  await takeScreenshots(page, 'console-picture');
  // Further than the picture reaches: it stops at its edge.
  for (let press = 0; press < 40; press += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await readDesign(page, communityId, 'wide')).toMatchObject({
    type: 'image/jpeg',
    width: 400,
    height: 400,
    colours: [RED, RED, RED, RED],
  });

  await dropPicture(page, { name: 'near.jpg', width: 800, height: 400 });
  await frame(page).waitFor();
  const slider = page.getByLabel('Size of the picture');
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('100%');
  await slider.press('End');
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('500%');
  await use(page).press('Enter');
  expect(await readDesign(page, communityId, 'near')).toMatchObject({
    width: 80,
    colours: [RED, BLUE, expect.anything(), expect.anything()],
  });

  // Escape uploads nothing.
  await dropPicture(page, { name: 'never.jpg', width: 800, height: 400 });
  await frame(page).waitFor();
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'hidden' });
  expect(await page.getByRole('radio', { name: 'never' }).count()).toBe(0);
});

browserTest(
  'a portrait keeps the rotation of its camera, and a huge photograph is made smaller',
  async () => {
    const { page, communityId } = await openForm('/make');
    // Rotated by 90 degrees, the left is at the top.
    await dropPicture(page, { name: 'portrait.jpg', width: 400, height: 200, orientation: 6 });
    await frame(page).waitFor();
    await use(page).click();
    expect(await readDesign(page, communityId, 'portrait')).toMatchObject({
      width: 200,
      height: 200,
      colours: [expect.anything(), expect.anything(), RED, BLUE],
    });

    const extraBytes = 27 * 1024 * 1024;
    await dropPicture(page, { name: 'huge.jpg', width: 9_000, height: 5_000, extraBytes });
    await frame(page).waitFor();
    await use(page).click();
    const huge = await readDesign(page, communityId, 'huge');
    expect(huge).toMatchObject({ type: 'image/jpeg', width: 2_048, height: 2_048 });
    expect(huge.colours.slice(0, 2)).toEqual([RED, BLUE]);
    // A square needs no choice.
    await dropPicture(page, { name: 'square.png', width: 800, height: 800, extraBytes });
    expect(await readDesign(page, communityId, 'square')).toMatchObject({ type: 'image/png', width: 800 });
  },
);

browserTest('an SVG is drawn, and what the service takes stays as it is', async () => {
  const { page, communityId } = await openForm('/make');
  const input = page.getByLabel('Upload a picture');
  const svg = `<!-- Made by hand -->
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 30 10"><style>rect { fill: blue }</style>
    <rect width="30" height="10"/><path style="fill: red" d="M0 0h15v10H0z"/></svg>`;
  await input.setInputFiles({ name: 'drawn.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) });
  await frame(page).waitFor();
  await page.getByRole('button', { name: 'Show the whole picture' }).click();
  await page.getByRole('button', { name: 'Fill the frame' }).waitFor();
  await use(page).click();
  expect(await readDesign(page, communityId, 'drawn')).toMatchObject({
    type: 'image/png',
    width: 2_048,
    height: 2_048,
    colours: [RED, BLUE, NOTHING, NOTHING],
  });

  // A GIF of two by one pixels, as it would be if it moved.
  const gif = Buffer.from('R0lGODdhAgABAIAAAP8AAAAA/ywAAAAAAgABAAACAkQKADs=', 'base64');
  await input.setInputFiles({ name: 'moving.gif', mimeType: 'image/gif', buffer: gif });
  expect((await readDesign(page, communityId, 'moving')).bytes.equals(gif)).toBe(true);
  const png = Buffer.from(await (await fetch(new URL('/images/logo.png', site.url))).arrayBuffer());
  await input.setInputFiles({ name: 'ready.png', mimeType: 'image/png', buffer: png });
  expect((await readDesign(page, communityId, 'ready')).bytes.equals(png)).toBe(true);

  // The same, 9,000 pixels wide.
  const tooWide = Buffer.from(gif);
  tooWide.writeUInt16LE(9_000, 6);
  await input.setInputFiles({ name: 'wide.gif', mimeType: 'image/gif', buffer: tooWide });
  await page.getByText('This moving picture is too large').waitFor();
  for (const [name, buffer] of [
    ['broken.png', png.subarray(0, 40)],
    ['broken.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><g></svg>')],
    ['notes.txt', Buffer.from('Ada Lovelace')],
  ] as const) {
    await input.setInputFiles({ name, mimeType: '', buffer });
    await page.getByText('This file cannot be read as a picture').waitFor();
    await input.setInputFiles({ name: 'film.mov', mimeType: 'video/quicktime', buffer });
    await page.getByText('This video cannot be shown').waitFor();
  }
});

browserTest(
  'the logo of a community is cropped too, and its file button speaks the language of the page',
  async () => {
    const { page, communityId } = await openForm('/settings', { locale: 'es' });
    const logo = page.getByRole('group', { name: 'Logo' });
    await logo.getByRole('button', { name: 'Elegir una imagen' }).waitFor();
    expect(await page.locator('input[type=file]').isVisible()).toBe(false);
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="30mm" height="10mm"><path fill="red" d="M0 0h120v60H0z"/></svg>';
    const buffer = Buffer.from(svg);
    await page.getByLabel('Elegir una imagen').setInputFiles({ name: 'ourlogo.svg', mimeType: '', buffer });
    await frame(page).waitFor();
    await page.getByRole('button', { name: 'Usar esta imagen' }).click();
    await logo.getByText('ourlogo.svg').waitFor();
    await page.getByRole('button', { name: 'Guardar' }).click();
    await page.getByText('Guardado').waitFor();
    const { logoUrl } = await site.badge.getCommunity({ communityId });
    expect(await measure(page, logoUrl)).toMatchObject({
      width: 2_048,
      height: 2_048,
      colours: [RED, RED, RED, RED],
    });
  },
);

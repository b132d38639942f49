import { bakeCredential } from '@badge/credentials/issue';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { findShownPicture } from './find-picture.ts';

const ORIGIN = 'https://badge.example';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const UPLOADED = Buffer.from('ffd8ffe000104a46494600', 'hex');
const file = new Uint8Array(bakeCredential(PNG, '{}'));
const pictureOf = (bytes: Uint8Array, origin = ORIGIN) => ({
  url: `${origin}/images/token/1.jpg`,
  sha256: bytesToHex(sha256(bytes)),
  caption: null,
});

const fetchMock = vi.fn(async () => new Response(UPLOADED));
beforeEach(() => {
  vi.stubGlobal('location', new URL(ORIGIN));
  vi.stubGlobal('fetch', fetchMock);
  fetchMock.mockClear();
});
afterEach(() => vi.unstubAllGlobals());

test('the signed picture in a file is shown', async () => {
  expect(await findShownPicture(file, pictureOf(PNG))).toMatchObject({ status: 'shown', isSigned: true });
  expect(fetchMock).not.toHaveBeenCalled();
});

test('instead of another picture in a file, that of this service is shown', async () => {
  expect(await findShownPicture(file, pictureOf(UPLOADED))).toMatchObject({
    status: 'shown',
    isSigned: true,
  });
  // The service has another one, too.
  expect(await findShownPicture(file, pictureOf(Buffer.from('x')))).toEqual({ status: 'changed' });
  fetchMock.mockRejectedValueOnce(new Error('no network'));
  expect(await findShownPicture(file, pictureOf(UPLOADED))).toEqual({ status: 'failed' });
});

test('another site is not asked for its picture', async () => {
  const elsewhere = pictureOf(UPLOADED, 'https://other.example');
  expect(await findShownPicture(file, elsewhere)).toEqual({ status: 'notOfFile' });
  expect(await findShownPicture(new TextEncoder().encode('{}'), elsewhere)).toEqual({ status: 'elsewhere' });
  expect(fetchMock).not.toHaveBeenCalled();
});

const inFile = (url: string) => ({ url, sha256: null, caption: null });
const NO_PICTURE = new TextEncoder().encode('{}');

test('a picture in the credential is shown from its bytes', async () => {
  for (const name of ['data:image/png;base64,', 'DATA:IMAGE/JPEG;BASE64,']) {
    const url = `${name}${PNG.toString('base64')}`;
    for (const bytes of [NO_PICTURE, file]) {
      const shown = await findShownPicture(bytes, inFile(url));
      expect(shown).toMatchObject({ status: 'shown', url: expect.stringMatching(/^blob:/), isSigned: true });
    }
  }
});

// An SVG draws for as long as its maker wants.
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';
test.each([
  `data:image/svg+xml;base64,${btoa(SVG)}`,
  `data:image/svg+xml,${encodeURIComponent(SVG)}`,
  `DATA:image/SVG+xml;charset=utf-8,${SVG}`,
  `data:image/png;base64,${btoa(SVG)}`,
  `data:image/png,${encodeURIComponent(SVG)}`,
  'data:image/png;base64,%',
  'data:image/png;base64',
])('a picture of another type is not shown: %s', async (url) => {
  for (const bytes of [NO_PICTURE, file]) {
    expect(await findShownPicture(bytes, inFile(url))).toEqual({ status: 'unsupported' });
  }
});

test('an SVG of a site is not shown, whatever type the site gives it', async () => {
  const svg = new TextEncoder().encode(SVG);
  fetchMock.mockResolvedValueOnce(new Response(svg, { headers: { 'Content-Type': 'image/png' } }));
  expect(await findShownPicture(NO_PICTURE, pictureOf(Buffer.from(svg)))).toEqual({ status: 'unsupported' });
});

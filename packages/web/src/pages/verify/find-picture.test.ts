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

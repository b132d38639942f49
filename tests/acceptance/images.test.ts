import { newAddress } from '@badge/test-support/signing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, createToken, demoCommunityId, read, withDemoKey } from './client.ts';
import { expectProblem } from './problems.ts';
import { sampleFiles } from './sample-files.ts';
import type { Community, NftType, Page, WalletToken } from './shapes.ts';
import { allowlistedRequest } from './token-requests.ts';
import { addNftType, deleteNftType, parseAdded, upload } from './uploads.ts';

const magicBytes: Record<string, RegExp> = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/gif': /^47494638(37|39)61/,
  'image/webp': /^52494646.{8}57454250/,
};

async function expectImage(url: string): Promise<void> {
  expect(url).toMatch(/^https?:\/\/[^/]+\//);
  const response = await call(url);
  expect(response.status, url).toBe(200);
  const contentType = (response.headers.get('content-type') ?? '').replace(/;.*$/, '');
  expect(Object.keys(magicBytes), url).toContain(contentType);
  expect(Buffer.from(response.bytes).toString('hex', 0, 16)).toMatch(magicBytes[contentType] ?? /unknown/);
}

describe('an image URL in a response leads to an image', () => {
  test("a token's imageUrl, as soon as the token can be read, for each built-in NFT type", async () => {
    const { data } = await read<Page<NftType>>(
      `/v1/communities/${demoCommunityId}/nftTypes?limit=1000`,
      withDemoKey,
    );
    const builtIn = data.filter(({ isUserAdded }) => !isUserAdded);
    expect(builtIn.length).toBeGreaterThanOrEqual(8);
    await Promise.all(
      builtIn.map(async ({ nftTypeId }) => {
        const token = await createToken(await allowlistedRequest({ nftTypeId }));
        expect(token.nftTypeId).toBe(nftTypeId);
        expect(token.imageUrl).toMatch(new RegExp(`/token/${token.tokenId}\\.[a-z]+$`));
        await expectImage(token.imageUrl);
      }),
    );
  });

  test("a wallet token's assetUrl", async () => {
    const wallet = newAddress();
    await createToken(await allowlistedRequest({ contributors: [wallet] }));
    const { data } = await read<Page<WalletToken>>(`/v1/wallets/${wallet}/tokens`);
    expect(data).toHaveLength(1);
    for (const { assetUrl } of data) await expectImage(assetUrl);
  });

  test("an NFT type's previewAssetUrl", async () => {
    const added = await addNftType('image/png');
    const { data } = await read<Page<NftType>>(
      `/v1/communities/${demoCommunityId}/nftTypes?limit=1000`,
      withDemoKey,
    );
    // Other test files delete the types that they added.
    const kept = data.filter(({ isUserAdded, nftTypeId }) => !isUserAdded || nftTypeId === added.nftTypeId);
    expect(kept.length).toBeGreaterThan(8);
    await Promise.all(kept.map(({ previewAssetUrl }) => expectImage(previewAssetUrl)));
    await deleteNftType(added.nftTypeId);
  });

  test("a community's logoUrl", async () => {
    await expectImage((await read<Community>(`/v1/communities/${demoCommunityId}`)).logoUrl);
  });
});

describe('an image', () => {
  const newImageUrl = async () => (await createToken(await allowlistedRequest())).imageUrl;

  test('has headers that allow embedding, forbid scripts and allow caching for a year', async () => {
    const { headers } = await call(await newImageUrl());
    expect(headers.get('etag')).toMatch(/^"[^"]+"$/);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'accept-ranges': 'bytes',
    });
  });

  test('is not sent again to a client that has it', async () => {
    const url = await newImageUrl();
    const etag = (await call(url)).headers.get('etag') ?? '';
    for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await call(url, { headers: { 'If-None-Match': ifNoneMatch } });
      expect({ status: response.status, bytes: response.bytes.length }).toEqual({ status: 304, bytes: 0 });
      expect(response.headers.get('etag')).toBe(etag);
    }
    expect((await call(url, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
  });

  test('has the same headers for HEAD as for GET', async () => {
    const url = await newImageUrl();
    const get = await call(url);
    // HEAD ignores `Range`.
    const head = await call(url, { method: 'HEAD', headers: { Range: 'bytes=0-0' } });
    expect(head.status).toBe(200);
    expect(head.bytes).toHaveLength(0);
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'accept-ranges']) {
      expect(head.headers.get(name), name).toBe(get.headers.get(name));
    }
  });
});

describe('ranges', () => {
  // The service stores files in pieces of 262,144 bytes, so this file has three.
  const sizeBytes = 600_000;
  const bytes = Uint8Array.from({ length: sizeBytes }, (_, index) => (index * 31) % 251);
  // The file begins like a video, because the service recognizes files by their content.
  bytes.set(sampleFiles['video/mp4']);
  let [nftTypeId, url, etag] = ['', '', ''];

  beforeAll(async () => {
    const added = await upload([
      ['name', 'ranges'],
      ['assetFile', new Blob([bytes])],
    ]);
    ({ nftTypeId, assetUrl: url } = parseAdded(added));
    etag = (await call(url)).headers.get('etag') ?? '';
  });
  afterAll(async () => {
    await deleteNftType(nftTypeId);
  });

  test.each([
    ['bytes=0-0', 0, 1],
    ['bytes=0-', 0, sizeBytes],
    ['bytes=10-19', 10, 20],
    ['bytes=262143-262144', 262_143, 262_145],
    ['bytes=262144-524287', 262_144, 524_288],
    ['bytes=100-524300', 100, 524_301],
    ['bytes=599999-', 599_999, sizeBytes],
    ['bytes=599990-999999999', 599_990, sizeBytes],
    ['bytes=-1', sizeBytes - 1, sizeBytes],
    ['bytes=-999999999', 0, sizeBytes],
    ['BYTES=5-5', 5, 6],
  ])('%s returns the bytes from %i (inclusive) to %i (exclusive)', async (range, start, end) => {
    const response = await call(url, { headers: { Range: range } });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${sizeBytes}`);
    expect(response.headers.get('content-length')).toBe(String(end - start));
    expect(Buffer.from(response.bytes).equals(bytes.subarray(start, end))).toBe(true);
  });

  test.each(['bytes=600000-', 'bytes=999999999999999999999-', 'bytes=-0'])(
    '%s returns 416',
    async (range) => {
      const response = await call(url, { headers: { Range: range } });
      expectProblem(response, 416, 'RangeNotSatisfiable');
      expect(response.headers.get('content-range')).toBe(`bytes */${sizeBytes}`);
      expect(response.headers.get('cache-control')).toBe('no-store');
    },
  );

  test.each(['bytes=5-4', 'bytes=0-0,2-3', 'bytes=-', 'bytes=a-b', 'items=0-1', '0-1'])(
    '%s returns the whole file',
    async (range) => {
      const response = await call(url, { headers: { Range: range } });
      expect(response.status).toBe(200);
      expect(Buffer.from(response.bytes).equals(bytes)).toBe(true);
    },
  );

  test('If-Range returns the range if the ETag matches, and otherwise the whole file', async () => {
    const statusOf = async (ifRange: string) =>
      (await call(url, { headers: { Range: 'bytes=1-2', 'If-Range': ifRange } })).status;
    expect(await statusOf(etag)).toBe(206);
    expect(await statusOf('"other"')).toBe(200);
    expect(await statusOf(`W/${etag}`)).toBe(200);
    expect(await statusOf('Wed, 21 Oct 2015 07:28:00 GMT')).toBe(200);
  });

  test('If-None-Match takes precedence over Range', async () => {
    const headers = { Range: 'bytes=1-2', 'If-None-Match': etag };
    expect((await call(url, { headers })).status).toBe(304);
  });
});

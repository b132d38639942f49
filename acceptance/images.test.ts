import { describe, expect, test } from 'vitest';
import { call, createToken, demo, read, withKey } from './client.ts';
import type { Community, NftType, Page, WalletToken } from './shapes.ts';
import { allowlistedRequest, newAddress } from './token-requests.ts';

const magicBytes: Record<string, RegExp> = {
  'image/png': /^89504e470d0a1a0a/,
  'image/jpeg': /^ffd8ff/,
  'image/gif': /^47494638(37|39)61/,
  'image/webp': /^52494646.{8}57454250/,
};

async function expectImage(url: string): Promise<void> {
  expect(url).toMatch(/^https?:\/\/[^/]+\//);
  const answer = await call(url);
  expect(answer.status, url).toBe(200);
  const contentType = (answer.headers.get('content-type') ?? '').replace(/;.*$/, '');
  expect(Object.keys(magicBytes), url).toContain(contentType);
  expect(Buffer.from(answer.bytes).toString('hex', 0, 16)).toMatch(magicBytes[contentType] ?? /unknown/);
}

describe('every address in an answer shows an image', () => {
  test("a token's, as soon as the token answers", async () => {
    const { data: nftTypes } = await read<Page<NftType>>(`/v1/communities/${demo}/nftTypes`, withKey);
    for (const { nftTypeId, isUserAdded } of nftTypes) {
      if (isUserAdded) continue;
      const token = await createToken(await allowlistedRequest({ nftTypeId }));
      expect(token.imageUrl).toMatch(new RegExp(`/token/${token.tokenId}\\.[a-z]+$`));
      await expectImage(token.imageUrl);
    }
  });

  test("a wallet's asset", async () => {
    const wallet = newAddress();
    await createToken(await allowlistedRequest({ contributors: [wallet] }));
    const { data } = await read<Page<WalletToken>>(`/v1/wallets/${wallet}/tokens`);
    expect(data).toHaveLength(1);
    for (const { assetUrl } of data) await expectImage(assetUrl);
  });

  test("an NFT type's preview", async () => {
    const { data } = await read<Page<NftType>>(`/v1/communities/${demo}/nftTypes`, withKey);
    expect(data.length).toBeGreaterThan(0);
    for (const { previewAssetUrl } of data) await expectImage(previewAssetUrl);
  });

  test("a community's logo", async () => {
    await expectImage((await read<Community>(`/v1/communities/${demo}`)).logoUrl);
  });
});

test('an unknown image is a 404', async () => {
  const { imageUrl, tokenId } = await createToken(await allowlistedRequest());
  const { pathname } = new URL(imageUrl);
  for (const other of ['999999999999', '0', '-1', 'abc', '%00', '9'.repeat(30)]) {
    const answer = await call(pathname.replace(`/${tokenId}.`, `/${other}.`));
    expect(answer.status, other).toBe(404);
  }
  const { data } = await read<Page<NftType>>(`/v1/communities/${demo}/nftTypes?limit=1`, withKey);
  const unknown = new URL('defaultNothing.png', data[0]?.previewAssetUrl);
  expect((await call(unknown.pathname, { isUndocumented: true })).status).toBe(404);
});

import { signedToken } from '@badge/test-support/signing';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postToken, readOperation } from '../../src/testing/creations.ts';
import { TINY_GIF } from '../../src/testing/nft-type-provocations.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

async function createToken(fields: Record<string, unknown> = {}): Promise<number> {
  const response = await postToken(service, await signedToken(fields));
  return (await readOperation(service, response.headers.get('location') ?? '')).resourceId ?? 0;
}

/** Uploads a file, and returns the path of its picture. */
async function upload(file: Uint8Array): Promise<string> {
  const body = new FormData();
  body.append('name', 'a picture');
  body.append('assetFile', new Blob([Uint8Array.from(file)]));
  const response = await service.call('/v1/communities/demo/nftTypes', {
    method: 'POST',
    key: service.apiKey,
    body,
  });
  expect(response.status).toBe(201);
  return new URL(((await response.json()) as { assetUrl: string }).assetUrl).pathname;
}

async function read(path: string) {
  const response = await service.call(path);
  const bytes = Buffer.from(await response.arrayBuffer());
  const { headers } = response;
  return {
    status: response.status,
    bytes,
    contentType: headers.get('content-type'),
    etag: headers.get('etag'),
    cacheControl: headers.get('cache-control'),
  };
}

async function measure(path: string): Promise<[number, number]> {
  const { width, height } = await loadImage((await read(path)).bytes);
  return [width, height];
}

async function countDrawn(): Promise<number> {
  const metrics = await (await service.call('/metrics')).text();
  return Number(/^badge_pictures_drawn_total (.*)$/m.exec(metrics)?.[1]);
}

function drawPhoto(width: number, height: number) {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = '#d7263d';
  context.fillRect(0, 0, width / 2, height);
  context.fillStyle = '#2563eb';
  context.fillRect(width / 2, 0, width / 2, height);
  return canvas;
}

test('a size is rounded up to one of five, so that many sizes are drawn only once', async () => {
  const path = `/images/token/${await createToken()}.png`;
  const before = await countDrawn();
  const sizes = { 64: 64, 65: 128, 128: 128, 200: 256, 257: 512, 500: 512 };
  for (const [size, expected] of Object.entries(sizes)) {
    expect(await measure(`${path}?size=${size}`), size).toEqual([expected, expected]);
  }
  expect(await countDrawn()).toBe(before + 4);
  // A picture has 1,000 pixels, and is not enlarged.
  const whole = await read(path);
  const large = await read(`${path}?size=513`);
  expect(large.bytes.equals(whole.bytes)).toBe(true);
  expect(large.etag).toBe(whole.etag);
  expect(await countDrawn()).toBe(before + 5);
});

test('a picture of a size is kept and sent like other pictures', async () => {
  const path = `/images/token/${await createToken()}.png?size=128`;
  const first = await read(path);
  expect(first).toMatchObject({
    status: 200,
    contentType: 'image/png',
    cacheControl: 'public, max-age=31536000, immutable',
  });
  const drawn = await countDrawn();
  expect((await read(path)).bytes.equals(first.bytes)).toBe(true);
  expect(await countDrawn()).toBe(drawn);
  const unchanged = await service.call(path, { headers: { 'If-None-Match': first.etag ?? '' } });
  expect(unchanged.status).toBe(304);
  const range = await service.call(path, { headers: { Range: 'bytes=0-7' } });
  expect(Buffer.from(await range.arrayBuffer()).toString('hex')).toBe('89504e470d0a1a0a');
});

test('designs and the logo have sizes too', async () => {
  expect(await measure('/images/nft/defaultOrangeRed.png?size=100')).toEqual([128, 128]);
  expect(await measure('/images/logo.png?size=64')).toEqual([64, 64]);
  expect(await measure('/images/logo.png?size=1024')).toEqual([512, 512]);
});

test.each([
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['png', 'image/png'],
] as const)(
  'an uploaded %s is made smaller, and keeps its shape and its type',
  async (format, contentType) => {
    const path = await upload(
      format === 'png'
        ? drawPhoto(1_200, 300).encodeSync('png')
        : drawPhoto(1_200, 300).encodeSync(format, 90),
    );
    const small = await read(`${path}?size=200`);
    expect(small.contentType).toBe(contentType);
    const image = await loadImage(small.bytes);
    expect([image.width, image.height]).toEqual([256, 64]);
    const context = createCanvas(256, 64).getContext('2d');
    context.drawImage(image, 0, 0);
    const [red = 0, , blue = 0] = context.getImageData(10, 30, 1, 1).data;
    expect(red).toBeGreaterThan(blue);
    const drawn = await countDrawn();
    expect((await read(`${path}?size=256`)).etag).toBe(small.etag);
    expect(await countDrawn()).toBe(drawn);
    expect((await read(path)).etag).not.toBe(small.etag);
  },
);

test('a photo is rotated as its camera has noted', async () => {
  const jpeg = drawPhoto(600, 300).encodeSync('jpeg', 90);
  // The orientation 6: rotate it by 90 degrees.
  const exif = Buffer.from(
    `ffe10022${Buffer.from('Exif\0\0').toString('hex')}4d4d002a00000008000101120003000000010006000000000000`,
    'hex',
  );
  const path = await upload(Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]));
  expect(await measure(`${path}?size=128`)).toEqual([64, 128]);
});

test('a file that is not larger is sent as it is, and so is one that cannot be read', async () => {
  const gif = await upload(TINY_GIF);
  expect((await read(`${gif}?size=64`)).bytes.equals(TINY_GIF)).toBe(true);
  expect((await read(`${gif}?size=64`)).contentType).toBe('image/gif');
  // Its header is right.
  const broken = drawPhoto(600, 300).encodeSync('jpeg', 90).subarray(0, 700);
  const path = await upload(broken);
  const drawn = await countDrawn();
  for (let time = 0; time < 2; time += 1) {
    const response = await read(`${path}?size=64`);
    expect(response).toMatchObject({ status: 200, contentType: 'image/jpeg' });
    expect(response.bytes.equals(broken)).toBe(true);
  }
  // That it cannot be read is kept, too.
  expect(await countDrawn()).toBe(drawn + 1);
});

test.each(['0', '63', '1025', 'x', '64&size=128'])('the size %s is invalid', async (size) => {
  const response = await service.call(`/images/logo.png?size=${size}`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ name: 'InvalidRequest', errors: [{ parameter: 'size' }] });
});

test.each([
  ['ن & <ن>', 'ن &amp; &lt;ن&gt;'],
  ["צ'ק", 'צ&apos;ק'],
  // Only marks, and a mark before a space: neither has a width.
  ['\u05b0', '\u05b0'],
  ['\u05b0 ab', '\u05b0 ab'],
])('a shield of letters that are joined is not stretched: %s', async (headline, label) => {
  const tokenId = await createToken({ headline });
  const svg = (await read(`/images/token/${tokenId}.svg`)).bytes.toString();
  expect(svg.split(`>${label}</text>`)).toHaveLength(4);
  expect(svg).toContain(`<title>${label}: 0 claimed</title>`);
  expect(svg).toContain(` aria-label="${label}: 0 claimed"`);
  expect(svg).not.toContain('textLength');
});

test('a shield has the headline and the number of claims, and changes with them', async () => {
  const tokenId = await createToken({ headline: 'Devcon <7> & "friends"', totalClaimCount: 2_000 });
  const path = `/images/token/${tokenId}.svg`;
  const first = await read(path);
  expect(first).toMatchObject({
    status: 200,
    contentType: 'image/svg+xml; charset=utf-8',
    cacheControl: 'public, max-age=300',
  });
  const svg = first.bytes.toString();
  expect(svg).toContain('<title>Devcon &lt;7&gt; &amp; &quot;friends&quot;: 0 claimed</title>');
  expect(svg).not.toContain('<style');
  const unchanged = await service.call(path, { headers: { 'If-None-Match': first.etag ?? '' } });
  expect(unchanged.status).toBe(304);
  await service.call(`/v1/tokens/${tokenId}/claim`, {
    key: service.apiKey,
    json: { claimingAddress: '0x52908400098527886E0F7030069857D2E4169EE7' },
  });
  await expect
    .poll(async () => (await read(path)).bytes.toString(), { timeout: 10_000 })
    .toContain('1 claimed');
  expect((await read(path)).etag).not.toBe(first.etag);
  expect((await read('/images/token/999999.svg')).status).toBe(404);
});

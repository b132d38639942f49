import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '@badge/test-support/databases';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createToken, postTokens, signTokens } from '../../src/testing/creations.ts';
import { TINY_GIF } from '../../src/testing/nft-type-provocations.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

async function start(env: Record<string, string> = {}): Promise<TestService> {
  const service = await startTestService(env);
  onTestFinished(service.stop);
  return service;
}

async function makeDataDir(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'badge-pictures-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function createTokens(service: TestService, count: number): Promise<void> {
  await postTokens(service, await signTokens(count), { accepted: new Map() });
  await vi.waitFor(async () => {
    expect((await service.call(`/v1/tokens/${count}`)).status).toBe(200);
  }, WAIT_OPTIONS);
}

async function readMetric(service: TestService, name: string): Promise<number> {
  const metrics = await (await service.call('/metrics')).text();
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(metrics)?.[1]);
}

const countDrawn = (service: TestService) => readMetric(service, 'badge_pictures_drawn_total');
const fromAddress = (address: string) => ({ headers: { 'X-Forwarded-For': address } });

test('an address that waits for many pictures hardly delays the picture of another address', async () => {
  const service = await start({ BADGE_TRUST_PROXY: 'loopback' });
  await createTokens(service, 41);
  const finished: string[] = [];
  const readPicture = async (tokenId: number, address: string) => {
    const { status } = await service.call(`/images/token/${tokenId}.png`, fromAddress(address));
    finished.push(address);
    return status;
  };
  const slowReads = Array.from({ length: 40 }, (_, index) => readPicture(index + 1, '203.0.113.1'));
  await Promise.race(slowReads);
  expect(await readPicture(41, '203.0.113.2')).toBe(200);
  expect(finished.indexOf('203.0.113.2')).toBeLessThan(8);
  // On a slow machine, a picture that has waited for 20 seconds is refused.
  for (const status of await Promise.all(slowReads)) expect([200, 503]).toContain(status);
});

test('pictures are not drawn for clients that have closed their connections', async () => {
  const service = await start();
  await createTokens(service, 12);
  const controller = new AbortController();
  const abandoned = Array.from({ length: 11 }, (_, index) =>
    service.call(`/images/token/${index + 1}.png`, { signal: controller.signal }),
  );
  const outcomes = Promise.allSettled(abandoned);
  await vi.waitFor(async () => {
    expect(await readMetric(service, 'badge_pictures_queued')).toBeGreaterThan(5);
  }, WAIT_OPTIONS);
  controller.abort();
  await outcomes;
  await vi.waitFor(
    async () => expect(await readMetric(service, 'badge_pictures_queued')).toBe(0),
    WAIT_OPTIONS,
  );
  expect((await service.call('/images/token/12.png')).status).toBe(200);
  expect(await countDrawn(service)).toBeLessThan(10);
});

test('a request with a current If-None-Match does not draw the picture', async () => {
  const env = { DATABASE_URL: await createDatabase(), BADGE_PICTURE_CACHE: '0' };
  const first = await start(env);
  const { resourceId } = await createToken(first);
  const path = `/images/token/${resourceId}.png`;
  const etag = (await first.call(path)).headers.get('etag') ?? '';
  const second = await start({ ...env, BADGE_ROLE: 'api' });
  expect((await second.call(path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  expect(await countDrawn(second)).toBe(0);
  expect((await second.call(path)).headers.get('etag')).toBe(etag);
  expect(await countDrawn(second)).toBe(1);
});

test('pictures are drawn and the error is counted if the cache directory cannot be used', async () => {
  const dataDir = await makeDataDir();
  await writeFile(join(dataDir, 'pictures'), 'a file where the directory should be');
  const service = await start({ BADGE_DATA_DIR: dataDir });
  const response = await service.call('/images/logo.png');
  expect(response.status).toBe(200);
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
  await vi.waitFor(async () => {
    expect(await readMetric(service, 'badge_picture_cache_errors_total')).toBeGreaterThan(0);
  }, WAIT_OPTIONS);
});

test('slow downloads of a large file by one address do not prevent another address from downloading the file', async () => {
  const service = await start({ BADGE_TRUST_PROXY: 'loopback' });
  const file = Buffer.concat([TINY_GIF, Buffer.alloc(8 * 1024 * 1024)]);
  const body = new FormData();
  body.append('name', 'large');
  body.append('assetFile', new Blob([file]));
  const response = await service.call('/v1/communities/demo/nftTypes', {
    method: 'POST',
    key: service.apiKey,
    body,
  });
  expect(response.status).toBe(201);
  const path = new URL(((await response.json()) as { assetUrl: string }).assetUrl).pathname;
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  let started = 0;
  for (let index = 0; index < 60; index += 1) {
    const download = request(
      service.url + path,
      { agent: false, ...fromAddress('203.0.113.1') },
      (response) => {
        started += 1;
        response.pause();
      },
    );
    download.on('socket', (socket) => sockets.push(socket));
    download.on('error', () => undefined).end();
  }
  await vi.waitFor(() => expect(started).toBeGreaterThanOrEqual(32), WAIT_OPTIONS);
  const other = await service.call(path, fromAddress('203.0.113.2'));
  expect(Buffer.from(await other.arrayBuffer()).equals(file)).toBe(true);
  // An address has 16 MiB of memory for pictures, and each download of a stored file holds 512 KiB.
  expect(started).toBe(32);
  expect((await service.call('/v1/environment', fromAddress('203.0.113.1'))).status).toBe(200);
});

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CreatedNftType } from '@badge/protocol';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import type { Counter } from 'prom-client';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { connectionLimitsFixture, drip } from '../../testing/connection-limits-fixture.ts';
import { nftTypeForm, TINY_GIF } from '../../testing/nft-type-provocations.ts';

const fixture = connectionLimitsFixture();
const { start } = fixture;

const NFT_TYPES = '/v1/communities/demo/nftTypes';

const head = (path: string, ...lines: string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: localhost', `X-API-Key: ${fixture.service.apiKey}`, ...lines, '', ''].join(
    '\r\n',
  );
const jsonHead = () => head('/v1/tokens', 'Content-Type: application/json', 'Content-Length: 9000');
const uploadHead = () =>
  head(NFT_TYPES, 'Content-Type: multipart/form-data; boundary=b', 'Content-Length: 90000');
/** The beginning of a form. The tests do not send the rest. */
const FORM_START =
  '--b\r\nContent-Disposition: form-data; name="assetFile"; filename="f"\r\n\r\n' +
  TINY_GIF.toString('latin1');

test('a socket that sends nothing is closed', async () => {
  const { open } = await start({ headersMs: 300 });
  expect(await text(await open())).toContain('"name":"RequestTimeout"');
});

test.each(['stops within its body', 'sends its body byte by byte'])(
  'a client that %s gets a timeout',
  async (way) => {
    const { open } = await start({ bodyMs: 300 });
    const socket = await open();
    const response = text(socket);
    socket.write(`${jsonHead()}{"headline":"`);
    if (way === 'sends its body byte by byte') void drip(socket);
    expect(await response).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*"name":"RequestTimeout"/i);
  },
);

test('a rejected request that sends its body byte by byte gets its 401 or a reset, and its connection is closed', async () => {
  const { open, countConnections } = await start({ bodyMs: 300 });
  const socket = await open();
  socket.write(jsonHead().replace(fixture.service.apiKey, 'unknown'));
  void drip(socket);
  // If bytes arrive after the close, the client's system may drop the unread response and report a reset.
  const received = await text(socket).catch(() => 'reset');
  expect(received).toMatch(/^(HTTP\/1\.1 401 |reset$)/);
  await vi.waitFor(async () => expect(await countConnections()).toBe(0), WAIT_OPTIONS);
});

describe('an upload', () => {
  const countAssets = async () => (await query(fixture.service.databaseUrl, 'select from assets')).length;

  test('that pauses gets a timeout, and stores nothing', async () => {
    const before = await countAssets();
    // On a busy machine, some time passes before the route reads the body.
    const { open } = await start({ uploadPauseMs: 1_000 });
    const socket = await open();
    socket.write(uploadHead() + FORM_START);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 [\s\S]*"name":"RequestTimeout"/);
    expect(await countAssets()).toBe(before);
  });

  test('that continues may take longer than other bodies, but not longer than the request timeout', async () => {
    const { open } = await start({ headersMs: 1_000, bodyMs: 100, uploadPauseMs: 3_000, requestMs: 1_500 });
    const socket = await open();
    const response = text(socket);
    socket.write(uploadHead() + FORM_START);
    void drip(socket);
    expect(await response).toContain('The request was not received in time.');
  });
});

describe('a client that does not read', () => {
  let path: string;
  beforeAll(async () => {
    const form = nftTypeForm();
    const file = Buffer.concat([TINY_GIF, randomBytes(19 * 1024 * 1024)]);
    form.set('assetFile', new Blob([new Uint8Array(file)]));
    const response = await fixture.service.call(NFT_TYPES, {
      method: 'POST',
      key: fixture.service.apiKey,
      body: form,
    });
    path = new URL(((await response.json()) as CreatedNftType).assetUrl).pathname;
  });

  test.each([
    ['for a while', { idleMs: 500 }],
    ['the whole response in time', { responseMs: 500 }],
  ])('%s loses its connection', async (_title, limits) => {
    const { open, countConnections, countRequests } = await start(limits);
    const socket = await open();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await vi.waitFor(() => expect(countRequests()).toBe(1), WAIT_OPTIONS);
    await vi.waitFor(async () => expect(await countConnections()).toBe(0), WAIT_OPTIONS);
  });
});

const countOf = async (counter: Counter) => (await counter.get()).values[0]?.value;

describe('a connection above the limit', () => {
  const GET = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

  /** Opens a connection whose request has begun. */
  async function openActive({ open, countRequests }: Awaited<ReturnType<typeof start>>, address?: string) {
    const before = countRequests();
    const socket = await open(address);
    socket.write(`${jsonHead()}{`);
    await vi.waitFor(() => expect(countRequests()).toBe(before + 1), WAIT_OPTIONS);
    return socket;
  }

  async function expectResponse(socket: Socket): Promise<void> {
    socket.write(GET);
    expect(String(await once(socket, 'data'))).toContain('HTTP/1.1 200');
  }

  test('of its address is closed; the other connections of the address and other addresses are served', async () => {
    const server = await start({ connectionsPerAddress: 2 });
    const active = await openActive(server);
    const idle = await server.open();
    await once((await server.open()).resume(), 'close');
    expect(await countOf(server.metrics.droppedConnections)).toBe(1);
    for (const socket of [idle, await server.open('127.0.0.2')]) await expectResponse(socket);
    expect(active.destroyed).toBe(false);
    active.destroy();
    await vi.waitFor(async () => expect(await server.isHealthy()).toBe(true), WAIT_OPTIONS);
  });

  test('of its address is accepted if the address is a trusted proxy', async () => {
    const server = await start({ connectionsPerAddress: 1 }, ['127.0.0.2/32']);
    const sockets = [await server.open('127.0.0.2'), await server.open('127.0.0.2')];
    for (const socket of sockets) await expectResponse(socket);
  });

  test('of all addresses is closed, and accepted again when another one has closed', async () => {
    const server = await start({ connections: 2 });
    const first = await server.open('127.0.0.2');
    const second = await server.open('127.0.0.3');
    for (const socket of [first, second]) await expectResponse(socket);
    await once((await server.open('127.0.0.4')).resume(), 'close');
    expect(await countOf(server.metrics.droppedConnections)).toBe(1);
    await expectResponse(second);
    first.destroy();
    await vi.waitFor(async () => expect(await server.isHealthy()).toBe(true), WAIT_OPTIONS);
  });
});

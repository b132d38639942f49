import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { json, text } from 'node:stream/consumers';
import type { Operation, Token } from '@badge/protocol';
import { createDatabase } from '@badge/test-support/databases';
import { makeDataDir, startTestBadge, WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createToken } from '../../testing/creations.ts';
import { insertDemoTokens, LARGE_TOKEN_BYTES } from '../../testing/insert-demo-tokens.ts';
import { createTestServer, startTestService, type TestService } from '../../testing/services.ts';
import type { ServerLimits } from '../limits.ts';
import type { ResourceLimits } from '../shares/resources.ts';

const LARGE_TOKEN_COUNT = 12;
const SMALL_TOKEN_COUNT = 120;
const TOKEN_COUNT = LARGE_TOKEN_COUNT + SMALL_TOKEN_COUNT;
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ BADGE_ROLE: 'api' });
  // The tokens 61 to 72 are large.
  await insertDemoTokens(service.databaseUrl, SMALL_TOKEN_COUNT / 2, 'small');
  await insertDemoTokens(service.databaseUrl, LARGE_TOKEN_COUNT, 'large');
  await insertDemoTokens(service.databaseUrl, SMALL_TOKEN_COUNT / 2, 'small');
});
afterAll(() => service.stop());

/** Starts a second server of the same service, with other limits. `seen` counts its requests and contains its errors. */
async function startServer(resourceLimits: ResourceLimits, serverLimits: Partial<ServerLimits> = {}) {
  const { server } = await createTestServer(service.context, { serverLimits, resourceLimits });
  const seen = { requests: 0, errors: [] as unknown[] };
  server.addHook('onRequest', async () => {
    seen.requests += 1;
  });
  server.addHook('onError', async (_request, _reply, error) => {
    seen.errors.push(error);
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    server.server.closeAllConnections();
    await server.close();
  });
  const { port } = server.server.address() as AddressInfo;
  const countConnections = () =>
    new Promise<number>((resolve) => server.server.getConnections((_error, count) => resolve(count)));
  return { port, countConnections, seen };
}

/** Requests a page of all tokens, and reads nothing of the response. */
async function requestWithoutReading(port: number, address = '127.0.0.1'): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket
    .pause()
    .write(`GET /v1/tokens?limit=1000 HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`);
  return socket;
}

const LONG_LISTS: [path: string, tokenIds: number[]][] = [
  ['/v1/tokens?limit=1000', range(1, TOKEN_COUNT)],
  ['/v1/tokens?limit=1000&order=desc', range(1, TOKEN_COUNT).reverse()],
  ['/v1/tokens?limit=110&offset=5', range(6, 115)],
  ['/v1/communities/demo/tokens?limit=1000', range(1, TOKEN_COUNT)],
];

test.each(LONG_LISTS)(
  '%s returns every token of the page once, complete and in order',
  { tags: ['slow'] },
  expectTokens,
);

test.each([
  ['/v1/tokens?limit=3&offset=60', [61, 62, 63]],
  ['/v1/tokens?limit=70&offset=5&order=desc', range(TOKEN_COUNT - 74, TOKEN_COUNT - 5).reverse()],
  ['/v1/tokens?limit=500&offset=132', []],
  ['/v1/communities/demo/tokens?limit=9&offset=58', range(59, 67)],
])('%s returns every token of the page once, complete and in order', expectTokens);

async function expectTokens(path: string, expected: number[]): Promise<void> {
  const response = await service.call(path);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { limit, offset, data } = (await response.json()) as { limit: number; offset: number; data: Token[] };
  const { searchParams } = new URL(path, service.url);
  expect({ limit, offset }).toEqual({
    limit: Number(searchParams.get('limit')),
    offset: Number(searchParams.get('offset')),
  });
  expect(data.map(({ tokenId }) => tokenId)).toEqual(expected);
  for (const { tokenId, customAttributes } of data) {
    const isLarge = tokenId > SMALL_TOKEN_COUNT / 2 && tokenId <= SMALL_TOKEN_COUNT / 2 + LARGE_TOKEN_COUNT;
    expect(customAttributes).toHaveLength(isLarge ? 50 : 1);
  }
}

test('a large token and its metadata are returned whole', async () => {
  const token = (await (await service.call('/v1/tokens/61')).json()) as Token;
  expect(JSON.stringify(token).length).toBeGreaterThan(LARGE_TOKEN_BYTES);
  const metadata = (await (await service.call('/metadata/61')).json()) as { properties: Token };
  expect(metadata.properties.links).toEqual(token.links);
});

test('a response to HEAD has no body and, for a short page, the Content-Length of GET', async () => {
  const small = await service.call('/v1/tokens?limit=2', { method: 'HEAD' });
  const body = await (await service.call('/v1/tokens?limit=2')).text();
  expect(small.headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
  const large = await service.call('/v1/tokens?limit=1000', { method: 'HEAD' });
  expect([large.status, await large.text()]).toEqual([200, '']);
});

test('an error in the middle of a page closes the connection', async () => {
  const [response] = (await once(get(`${service.url}/v1/tokens?limit=1000`), 'response')) as [
    IncomingMessage,
  ];
  response.pause();
  await query(service.databaseUrl, 'alter table tokens rename to renamed_tokens');
  onTestFinished(async () => {
    await query(service.databaseUrl, 'alter table if exists renamed_tokens rename to tokens');
  });
  expect(response.statusCode).toBe(200);
  await expect(text(response)).rejects.toThrow('aborted');
});

test('clients that stop reading are disconnected, and the next request of their address is served', {
  tags: ['slow'],
}, async () => {
  const { port, countConnections } = await startServer(
    { responseMemory: { perCaller: LARGE_TOKEN_BYTES } },
    { readPieceMs: 500 },
  );
  await requestWithoutReading(port);
  await requestWithoutReading(port);
  const request = get({ port, path: '/v1/tokens?limit=3&offset=60', agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(await json(response)).toMatchObject({ data: [{}, {}, {}] });
  await vi.waitFor(async () => expect(await countConnections()).toBe(0), WAIT_OPTIONS);
});

test('a request that waits too long for its share gets 503 with Retry-After', async () => {
  const { port } = await startServer({ responseMemory: { perCaller: LARGE_TOKEN_BYTES, maxWaitMs: 300 } });
  const stalled = await requestWithoutReading(port);
  await once(stalled, 'readable');
  await vi.waitFor(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/tokens?limit=3`);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ name: 'Unavailable' });
  }, WAIT_OPTIONS);
});

test('a client that disconnects while its request waits causes no internal error', async () => {
  const { port, seen } = await startServer({ responseMemory: { perCaller: LARGE_TOKEN_BYTES } });
  const stalled = await requestWithoutReading(port);
  await once(stalled, 'readable');
  const waiting = await requestWithoutReading(port);
  await vi.waitFor(() => expect(seen.requests).toBe(2), WAIT_OPTIONS);
  waiting.destroy();
  await vi.waitFor(() => expect(seen.errors).toMatchObject([{ errorName: 'RequestTimeout' }]), WAIT_OPTIONS);
});

test('500 concurrent requests of one address are all served', { tags: ['slow'] }, async () => {
  const pages = await Promise.all(
    range(1, 500).map(async () => (await (await service.call('/v1/tokens')).json()) as { data: Token[] }),
  );
  expect(pages.map(({ data }) => data.length)).toEqual(Array(500).fill(50));
});

test('slow reads of one address leave database connections for writes and for other addresses', async () => {
  const databaseUrl = await createDatabase();
  const proxied = await startTestService({ DATABASE_URL: databaseUrl, BADGE_TRUST_PROXY: '127.0.0.1' });
  onTestFinished(() => proxied.stop());
  await createToken(proxied);
  const lockHolder = new pg.Client({ connectionString: databaseUrl });
  await lockHolder.connect();
  onTestFinished(() => lockHolder.end());
  await lockHolder.query('begin');
  await lockHolder.query('lock table claims in access exclusive mode');

  const path = '/v1/tokens/1/owners';
  const headers = { 'X-Forwarded-For': '192.0.2.1' };
  const slow = range(1, 40).map(() => proxied.call(path, { headers }));
  await vi.waitFor(async () => {
    const { rows } = await lockHolder.query("select from pg_locks where relation = 'claims'::regclass");
    expect(rows.length).toBeGreaterThan(1);
  }, WAIT_OPTIONS);
  await createToken(proxied);
  const response = await proxied.call('/v1/tokens/2', { headers: { 'X-Forwarded-For': '192.0.2.2' } });
  expect(await response.json()).toMatchObject({ tokenId: 2 });
  await lockHolder.query('commit');
  for (const { status } of await Promise.all(slow)) expect(status).toBe(200);
});

test('many clients of one address that stop reading large pages need little memory, and others are served', {
  tags: ['slow'],
}, async () => {
  const databaseUrl = await createDatabase();
  const badge = await startTestBadge({
    DATABASE_URL: databaseUrl,
    BADGE_DATA_DIR: await makeDataDir(),
    BADGE_RATE_LIMIT: '100/50',
    BADGE_TRUST_PROXY: '127.0.0.1',
  });
  await createToken(badge);
  await insertDemoTokens(databaseUrl, 60, 'large');
  const readMemory = async () => {
    const metrics = await (await fetch(`${badge.url}/metrics`)).text();
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]);
  };
  const memoryBefore = await readMemory();
  const port = Number(new URL(badge.url).port);
  const stalled = await Promise.all(range(1, 20).map(() => requestWithoutReading(port, '192.0.2.1')));
  await Promise.race(stalled.map((socket) => once(socket, 'readable')));

  const headers = { 'X-Forwarded-For': '192.0.2.2' };
  // Each page has 1.2 MB. An address may read 16 MB in five seconds.
  for (const _ of range(1, 10)) {
    const response = await fetch(`${badge.url}/v1/tokens?limit=2`, { headers });
    expect(((await response.json()) as { data: Token[] }).data).toHaveLength(2);
  }
  const operation: Operation = await createToken(badge);
  expect(operation.resourceId).toBe(62);
  expect((await readMemory()) - memoryBefore).toBeLessThan(400e6);
});

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { signedToken } from '@badge/test-support/signing';
import { holdLock } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startTestService, type TestService } from '../../src/testing/services.ts';

const MIB = 1024 * 1024;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ BADGE_ROLE: 'api', BADGE_RATE_LIMIT: '100/50' });
});
afterAll(async () => await service.stop());

async function openConnection(): Promise<Socket> {
  const socket = connect(service.port ?? 0, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Returns the head of a request. `framing` is its Content-Length or Transfer-Encoding header. */
const makeHead = (key: string, framing: string) =>
  [
    'POST /v1/tokens HTTP/1.1',
    'Host: localhost',
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    'Connection: close',
    framing,
    '',
    '',
  ].join('\r\n');

/** Sends the head of a request and the first byte of its body. */
async function beginRequest(key: string, bodyBytes: number): Promise<Socket> {
  const socket = await openConnection();
  socket.write(`${makeHead(key, `Content-Length: ${bodyBytes}`)}{`);
  return socket;
}

async function createToken(key: string, body: object): Promise<Response> {
  return await service.call('/v1/tokens', { json: body, key });
}

test('a caller whose bodies in progress have 16 MiB together gets 429 for a further request, and another caller is served', async () => {
  const sockets = await Promise.all(Array.from({ length: 4 }, () => beginRequest(service.apiKey, 4 * MIB)));
  const refused = await vi.waitFor(async () => {
    const response = await createToken(service.apiKey, {});
    expect(response.status).toBe(429);
    return response;
  }, WAIT_OPTIONS);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await refused.json()).toMatchObject({ name: 'RateLimited' });
  expect((await createToken(service.adminKey, {})).status).toBe(400);
  for (const socket of sockets) socket.destroy();
  await vi.waitFor(
    async () => expect((await createToken(service.apiKey, {})).status).toBe(400),
    WAIT_OPTIONS,
  );
});

test('the arrived bytes of chunked bodies count towards the limit of 16 MiB for one caller', async () => {
  const sockets = await Promise.all(Array.from({ length: 4 }, openConnection));
  for (const socket of sockets) {
    // The last byte of the chunk is not sent, so the body remains in progress.
    const chunkBytes = 4 * MIB;
    socket.write(`${makeHead(service.apiKey, 'Transfer-Encoding: chunked')}${chunkBytes.toString(16)}\r\n`);
    socket.write(Buffer.alloc(chunkBytes - 1, ' '));
  }
  await vi.waitFor(async () => {
    const response = await createToken(service.apiKey, { headline: 'x' });
    expect(response.status).toBe(429);
  }, WAIT_OPTIONS);
});

test('a body in many small pieces gets an error or a reset, and the connection is closed', async () => {
  const socket = await openConnection();
  const response = text(socket);
  socket.write(makeHead(service.adminKey, 'Transfer-Encoding: chunked') + '1\r\n \r\n'.repeat(100_000));
  // If bytes arrive after the close, the client's system may drop the unread response and report a reset.
  expect(await response.catch(() => 'reset')).toMatch(/too many small pieces|^reset$/);
});

test('the rate limit counts a body as one request per started 64 KiB, even if it is chunked', async () => {
  const readRemaining = (response: Response) =>
    Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1]);
  const key = service.adminKey;
  // 640 KiB count as ten requests.
  const body = ' '.repeat(640 * 1024);
  const headers = { 'Content-Type': 'application/json' };
  const send = (init: RequestInit) => service.call('/v1/tokens', { method: 'POST', key, headers, ...init });
  const stream = () => new Blob([body]).stream();
  // Retried, because a new rate-limit window may begin between two requests.
  await vi.waitFor(async () => {
    const before = readRemaining(await send({ body: '{}' }));
    expect(readRemaining(await send({ body }))).toBe(before - 10);
    await send({ body: stream(), duplex: 'half' } as RequestInit);
    // The chunked body counts as ten further requests, and this one as one.
    expect(readRemaining(await send({ body: '{}' }))).toBe(before - 21);
  }, WAIT_OPTIONS);
});

test('a response lists at most 100 errors, and its detail says that there are more', async () => {
  const customAttributes = Array.from({ length: 10_000 }, () => ({}));
  const response = await createToken(service.apiKey, { ...(await signedToken()), customAttributes });
  const problem = (await response.json()) as { detail: string; errors: unknown[] };
  expect(problem.errors).toHaveLength(100);
  expect(problem.detail).toContain('(and more; the field errors has the first 100)');
});

test('an error does not contain the long name of an invalid attribute', async () => {
  const attribute = { fieldName: 'x'.repeat(MIB), type: 'string', value: '' };
  const customAttributes = [attribute, attribute];
  const response = await createToken(service.apiKey, { ...(await signedToken()), customAttributes });
  expect(response.status).toBe(400);
  expect((await response.text()).length).toBeLessThan(10_000);
});

test('requests of one key with a body of more than 16 KiB are handled one at a time, and another key does not wait for them', async () => {
  const release = await holdLock(service.databaseUrl, 'operations', 'share');
  const contributors = Array.from({ length: 2_000 }, (_, index) => `person-${index}`);
  const json = await signedToken({ isAllowlistRequired: true, totalClaimCount: null, contributors });
  const created = Array.from({ length: 5 }, () =>
    service.call('/v1/tokens', {
      json,
      key: service.apiKey,
      headers: { 'Idempotency-Key': crypto.randomUUID() },
    }),
  );
  await vi.waitFor(async () => {
    const metrics = await (await service.call('/metrics')).text();
    expect(metrics).toContain('badge_http_waiting_requests{resource="largeBodies"} 4');
  }, WAIT_OPTIONS);
  expect((await createToken(service.adminKey, { contributors })).status).toBe(400);
  await release();
  for (const response of await Promise.all(created)) expect(response.status).toBe(202);
});

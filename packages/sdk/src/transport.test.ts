import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ERRORS } from '@badge/protocol';
import { expect, onTestFinished, test } from 'vitest';
import {
  type BadgeApiError,
  type BadgeClient,
  type BadgeClientOptions,
  BadgeConnectionError,
  createBadgeClient,
  type ErrorName,
} from './index.ts';

interface ScriptedResponse {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** Ends the connection in the middle of the body. */
  isCut?: boolean;
  /** Never responds. */
  isSilent?: boolean;
}

interface ReceivedRequest {
  method: string;
  headers: IncomingMessage['headers'];
  body: string;
  receivedAtMs: number;
}

/** Starts a server that sends these responses one after the other, and creates a client of it. */
async function startScriptedServer(responses: ScriptedResponse[], options: Partial<BadgeClientOptions> = {}) {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const receivedAtMs = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', headers } = request;
    requests.push({ method, headers, body: Buffer.concat(chunks).toString(), receivedAtMs });
    const { status, headers: sent = {}, body = '', isCut, isSilent } = responses.shift() ?? { status: 500 };
    if (isSilent) return;
    if (isCut) {
      response.writeHead(status, { ...sent, 'Content-Length': body.length + 1 });
      response.write(body, () => response.destroy());
      return;
    }
    response.writeHead(status, sent).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const badge = createBadgeClient({ url: `http://127.0.0.1:${port}`, apiKey: 'key', ...options });
  return { badge, requests };
}

function problem(name: ErrorName, headers: Record<string, string> = {}): ScriptedResponse {
  const { status, title } = ERRORS[name];
  const detail = `The detail of ${name}.`;
  const body = { type: 'about:blank', title, status, detail, instance: 'urn:uuid:0', name, error: detail };
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json', 'X-Request-Id': 'request-1', ...headers },
    body: JSON.stringify(body),
  };
}

const TOKEN: ScriptedResponse = { status: 200, body: '{"tokenId":1}' };
const OPERATION_ID = '6f1c0a52-6a0e-4a39-9d5c-0f6a3b9d2e11';
const ACCEPTED: ScriptedResponse = {
  status: 202,
  headers: { Location: `/v1/operations/${OPERATION_ID}` },
  body: '{}',
};
const ADDRESS = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';

test.each<[string, ScriptedResponse]>([
  ['429', problem('RateLimited')],
  ['503', problem('Unavailable')],
  ['408', problem('RequestTimeout')],
  ['409 IdempotencyKeyInUse', problem('IdempotencyKeyInUse')],
  ["a proxy's 502", { status: 502, body: '<html>Bad Gateway</html>' }],
  ["a proxy's 504", { status: 504 }],
  ['a response that is cut', { ...TOKEN, isCut: true }],
])('a request is retried after %s', async (_, failure) => {
  const { badge, requests } = await startScriptedServer([failure, TOKEN]);
  await expect(badge.getToken({ tokenId: 1 })).resolves.toEqual({ tokenId: 1 });
  expect(requests).toHaveLength(2);
});

test.each<ErrorName>(['InvalidRequest', 'InvalidApiKey', 'TokenNotFound', 'NoTokensLeft', 'InternalError'])(
  'a request is not retried after %s',
  async (name) => {
    const { badge, requests } = await startScriptedServer([problem(name), TOKEN]);
    await expect(badge.getToken({ tokenId: 1 })).rejects.toMatchObject({
      name,
      status: ERRORS[name].status,
      detail: `The detail of ${name}.`,
      requestId: 'request-1',
    });
    expect(requests).toHaveLength(1);
  },
);

test('a request is retried four times, unless maxRetries says otherwise', async () => {
  const failures = () => Array.from({ length: 9 }, () => problem('Unavailable'));
  const byDefault = await startScriptedServer(failures());
  await expect(byDefault.badge.getToken({ tokenId: 1 })).rejects.toMatchObject({ name: 'Unavailable' });
  expect(byDefault.requests).toHaveLength(5);

  const oneRetry = await startScriptedServer(failures(), { maxRetries: 1 });
  await expect(oneRetry.badge.getToken({ tokenId: 1 })).rejects.toMatchObject({ name: 'Unavailable' });
  expect(oneRetry.requests).toHaveLength(2);
});

test('a retry waits for the time in Retry-After', async () => {
  const { badge, requests } = await startScriptedServer([
    problem('RateLimited', { 'Retry-After': '1' }),
    TOKEN,
  ]);
  await badge.getToken({ tokenId: 1 });
  const [first, second] = requests;
  // Timers of Node can fire a millisecond early.
  expect((second?.receivedAtMs ?? 0) - (first?.receivedAtMs ?? 0)).toBeGreaterThanOrEqual(990);
});

test('a request whose Retry-After is longer than a minute is not retried', async () => {
  const { badge, requests } = await startScriptedServer([
    problem('Unavailable', { 'Retry-After': '61' }),
    TOKEN,
  ]);
  await expect(badge.getToken({ tokenId: 1 })).rejects.toMatchObject({
    name: 'Unavailable',
    retryAfterMs: 61_000,
  });
  expect(requests).toHaveLength(1);
});

test('a retry has the same Idempotency-Key and the same body, another call has another key', async () => {
  const { badge, requests } = await startScriptedServer([
    { ...ACCEPTED, isCut: true },
    problem('Unavailable'),
    ACCEPTED,
    ACCEPTED,
  ]);
  const operation = await badge.airdrop({ tokenId: 1, address: ADDRESS });
  await badge.airdrop({ tokenId: 1, address: ADDRESS });
  const keys = requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys.slice(0, 3)).toEqual(Array(3).fill(operation.idempotencyKey));
  expect(keys[3]).not.toBe(operation.idempotencyKey);
  expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
  expect(operation).toMatchObject({ operationId: OPERATION_ID, isReplayed: false });
});

test('a call sends the given Idempotency-Key and the API key', async () => {
  const { badge, requests } = await startScriptedServer([ACCEPTED]);
  await badge.airdrop({ tokenId: 1, address: ADDRESS }, { idempotencyKey: 'order-1' });
  expect(requests[0]?.headers).toMatchObject({ 'idempotency-key': 'order-1', authorization: 'Bearer key' });
});

test('an error of a call has its Idempotency-Key', async () => {
  const { badge } = await startScriptedServer([problem('NoTokensLeft'), { ...ACCEPTED, isCut: true }], {
    maxRetries: 0,
  });
  const airdrop = () => badge.airdrop({ tokenId: 1, address: ADDRESS }, { idempotencyKey: 'order-1' });
  await expect(airdrop()).rejects.toMatchObject({ name: 'NoTokensLeft', idempotencyKey: 'order-1' });
  await expect(airdrop()).rejects.toMatchObject({ name: 'BadgeConnectionError', idempotencyKey: 'order-1' });
});

test.each<[string, (badge: BadgeClient) => Promise<unknown>]>([
  ['createApiKey()', (badge) => badge.createApiKey({ communityId: 'demo', name: 'a' })],
])('%s is never retried', async (_, call) => {
  const { badge, requests } = await startScriptedServer([{ status: 201, isCut: true }, { status: 201 }]);
  await expect(call(badge)).rejects.toThrow(BadgeConnectionError);
  expect(requests).toHaveLength(1);
});

test('deleteNftType() succeeds if its retry finds nothing, because the first attempt may have succeeded', async () => {
  const nftType = { communityId: 'demo', nftTypeId: 'ours' };
  const lost = await startScriptedServer([{ status: 204, isSilent: true }, problem('NftTypeNotFound')], {
    timeoutMs: 500,
  });
  await lost.badge.deleteNftType(nftType);
  expect(lost.requests.map(({ method }) => method)).toEqual(['DELETE', 'DELETE']);
});

test('deleteNftType() fails if its retry finds nothing after a 429, which cannot have deleted anything', async () => {
  const { badge } = await startScriptedServer([problem('RateLimited'), problem('NftTypeNotFound')]);
  const nftType = { communityId: 'demo', nftTypeId: 'ours' };
  await expect(badge.deleteNftType(nftType)).rejects.toMatchObject({ name: 'NftTypeNotFound' });
});

test('an attempt that takes too long times out, and the error says so', async () => {
  const { badge, requests } = await startScriptedServer([{ status: 200, isSilent: true }], {
    timeoutMs: 100,
    maxRetries: 0,
  });
  await expect(badge.getToken({ tokenId: 1 })).rejects.toThrow(/did not respond within 0.1 seconds/);
  // On a busy machine, the attempt can time out before it arrives.
  expect(requests.length).toBeLessThanOrEqual(1);
});

test('a signal aborts a request', async () => {
  const { badge, requests } = await startScriptedServer([{ status: 200, isSilent: true }]);
  const controller = new AbortController();
  const reason = new Error('the user left');
  const token = badge.getToken({ tokenId: 1 }, { signal: controller.signal });
  await expect.poll(() => requests.length, { timeout: 20_000 }).toBe(1);
  controller.abort(reason);
  await expect(token).rejects.toBe(reason);
});

test('a signal aborts the wait for a retry', async () => {
  const { badge, requests } = await startScriptedServer([problem('Unavailable', { 'Retry-After': '60' })]);
  const controller = new AbortController();
  const token = badge.getToken({ tokenId: 1 }, { signal: controller.signal });
  await expect.poll(() => requests.length, { timeout: 20_000 }).toBe(1);
  controller.abort();
  await expect(token).rejects.toMatchObject({ name: 'AbortError' });
});

test('a call whose signal is already aborted sends nothing', async () => {
  const { badge, requests } = await startScriptedServer([TOKEN]);
  await expect(badge.getToken({ tokenId: 1 }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect(requests).toEqual([]);
});

test('a response that is not of Badge is a BadgeConnectionError with its status', async () => {
  for (const response of [
    { status: 200, body: '<html>Welcome</html>' },
    { status: 404, body: '{"message":"no route"}' },
    { status: 301, headers: { Location: 'https://badge.example/v1/tokens/1' } },
  ]) {
    const { badge, requests } = await startScriptedServer([response]);
    await expect(badge.getToken({ tokenId: 1 })).rejects.toMatchObject({
      name: 'BadgeConnectionError',
      status: response.status,
      message: expect.stringContaining('Check `url`'),
    });
    expect(requests).toHaveLength(1);
  }
});

test('a 202 without Location is a BadgeConnectionError', async () => {
  const { badge } = await startScriptedServer([{ status: 202, body: '{}' }]);
  await expect(badge.airdrop({ tokenId: 1, address: ADDRESS })).rejects.toThrow(/has no Location/);
});

test('a service that cannot be reached is a BadgeConnectionError with its cause', async () => {
  const badge = createBadgeClient({ url: 'http://127.0.0.1:1', maxRetries: 0 });
  await expect(badge.getToken({ tokenId: 1 })).rejects.toMatchObject({
    name: 'BadgeConnectionError',
    status: null,
    cause: expect.any(Error),
    message: expect.stringMatching(/^The connection to http:\/\/127\.0\.0\.1:1 failed \(.+\)\. Check `url`/),
  });
});

test.each([
  ['text', 'badge'],
  ['without a scheme', 'localhost:3000'],
  ['of another scheme', 'ws://localhost:3000'],
])('createBadgeClient() throws if the URL is %s', (_, url) => {
  expect(() => createBadgeClient({ url: url as string })).toThrow(
    new TypeError(`\`url\` must be an address such as http://localhost:3000, but is ${url}.`),
  );
});

test('createBadgeClient() throws if fetch is not a function', () => {
  expect(() => createBadgeClient({ url: 'http://localhost:3000', fetch: 'fetch' as never })).toThrow(
    '`fetch` of createBadgeClient() must be a function, but is "fetch".',
  );
});

test.each([
  ['empty', ''],
  ['not ASCII', 'order-€'],
  ['too long', 'k'.repeat(256)],
])('a call with an Idempotency-Key that is %s is not sent', async (_, idempotencyKey) => {
  const { badge, requests } = await startScriptedServer([ACCEPTED]);
  await expect(badge.airdrop({ tokenId: 1, address: ADDRESS }, { idempotencyKey })).rejects.toThrow(
    '`idempotencyKey` must have 1 to 255 visible ASCII characters.',
  );
  expect(requests).toEqual([]);
});

test('the message of an error contains its details and a hint', async () => {
  const errors = [{ pointer: '/headline', detail: 'must not be empty' }];
  const invalid = problem('InvalidRequest');
  const body = JSON.stringify({ ...JSON.parse(invalid.body ?? ''), errors });
  const oneError = JSON.stringify({ ...JSON.parse(body), detail: '/headline must not be empty' });
  const { badge } = await startScriptedServer([
    { ...invalid, body },
    { ...invalid, body: oneError },
    problem('ApiKeyRequired'),
  ]);
  const first = await badge.getToken({ tokenId: 1 }).catch((error: BadgeApiError) => error);
  expect(first).toMatchObject({ errors, hint: null });
  expect((first as BadgeApiError).message).toBe(
    'The detail of InvalidRequest.\n  /headline: must not be empty',
  );
  await expect(badge.getToken({ tokenId: 1 })).rejects.toMatchObject({
    errors,
    message: '/headline must not be empty',
  });
  await expect(badge.getToken({ tokenId: 1 })).rejects.toMatchObject({
    hint: 'Pass `apiKey` to createBadgeClient().',
    message: 'The detail of ApiKeyRequired.\nPass `apiKey` to createBadgeClient().',
  });
});

const PENDING = { operationId: OPERATION_ID, status: 'pending', resourceId: null, error: null };
const pending: ScriptedResponse = { status: 200, body: JSON.stringify(PENDING) };
const success: ScriptedResponse = {
  status: 200,
  body: JSON.stringify({ ...PENDING, status: 'success', resourceId: 7 }),
};

test('waitForOperation() continues after pending responses, lost connections and 503', async () => {
  const { badge, requests } = await startScriptedServer([
    pending,
    { ...pending, isCut: true },
    problem('Unavailable'),
    pending,
    success,
  ]);
  await expect(badge.waitForOperation({ operationId: OPERATION_ID })).resolves.toMatchObject({
    status: 'success',
    tokenId: 7,
  });
  expect(requests).toHaveLength(5);
});

test('waitForOperation() throws the error of an operation that failed', async () => {
  const error = JSON.parse(problem('NoTokensLeft').body ?? '');
  const body = JSON.stringify({ ...PENDING, status: 'error', error });
  const { badge, requests } = await startScriptedServer([{ status: 200, body }]);
  await expect(badge.waitForOperation({ operationId: OPERATION_ID })).rejects.toMatchObject({
    name: 'NoTokensLeft',
    status: 409,
    operationId: OPERATION_ID,
    requestId: null,
  });
  expect(requests).toHaveLength(1);
});

test('waitForOperation() times out, and its error has the last error as its cause', async () => {
  // The retry would come after the timeout, so no attempt is in progress when the timeout ends the wait.
  const { badge } = await startScriptedServer([problem('Unavailable', { 'Retry-After': '60' })]);
  await expect(badge.waitForOperation({ operationId: OPERATION_ID, timeoutMs: 3_000 })).rejects.toMatchObject(
    {
      name: 'BadgeTimeoutError',
      operationId: OPERATION_ID,
      cause: expect.objectContaining({ name: 'Unavailable' }),
    },
  );
});

test('waitForOperation() times out while the service does not respond', async () => {
  const { badge } = await startScriptedServer([{ status: 200, isSilent: true }]);
  await expect(badge.waitForOperation({ operationId: OPERATION_ID, timeoutMs: 300 })).rejects.toMatchObject({
    name: 'BadgeTimeoutError',
  });
});

test('a signal aborts waitForOperation()', async () => {
  const { badge, requests } = await startScriptedServer([{ status: 200, isSilent: true }]);
  const controller = new AbortController();
  const wait = badge.waitForOperation({ operationId: OPERATION_ID, signal: controller.signal });
  await expect.poll(() => requests.length, { timeout: 20_000 }).toBe(1);
  controller.abort();
  await expect(wait).rejects.toMatchObject({ name: 'AbortError' });
});

test('waitForOperation() throws at once if the operation does not exist', async () => {
  const { badge, requests } = await startScriptedServer([problem('OperationNotFound')]);
  await expect(badge.waitForOperation({ operationId: OPERATION_ID })).rejects.toMatchObject({
    name: 'OperationNotFound',
  });
  expect(requests).toHaveLength(1);
});

/** A page of items `first` to `last` with the limit 2. */
function page(first: number, last: number): ScriptedResponse {
  const data = Array.from({ length: last - first + 1 }, (_, index) => ({ tokenId: first + index }));
  return { status: 200, body: JSON.stringify({ limit: 2, offset: first - 1, data }) };
}

async function readAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test('a list is requested when it is awaited, not before', async () => {
  const { badge, requests } = await startScriptedServer([page(1, 2), page(1, 1)]);
  const list = badge.listTokens({ limit: 2 });
  expect(requests).toEqual([]);
  await expect(list).resolves.toEqual({ limit: 2, offset: 0, data: [{ tokenId: 1 }, { tokenId: 2 }] });
  expect(requests).toHaveLength(1);
});

test('a list is iterated until a page that is not full, and ends there', async () => {
  const { badge, requests } = await startScriptedServer([page(1, 2), page(3, 4), page(5, 5)]);
  expect((await readAll(badge.listTokens({ limit: 2 }))).map(({ tokenId }) => tokenId)).toEqual([
    1, 2, 3, 4, 5,
  ]);
  expect(requests).toHaveLength(3);
});

test('the pages of a list with the limit 0 end after the first', async () => {
  const empty: ScriptedResponse = { status: 200, body: '{"limit":0,"offset":0,"data":[]}' };
  const { badge, requests } = await startScriptedServer([empty, empty]);
  await expect(readAll(badge.listTokens({ limit: 0 }).pages())).resolves.toHaveLength(1);
  expect(requests).toHaveLength(1);
});

test('a client calls the given fetch as a plain function', async () => {
  const badge = createBadgeClient({
    url: new URL('http://badge.test/base/'),
    async fetch(this: unknown, url) {
      return Response.json({ calledOn: this === undefined ? null : 'an object', url });
    },
  });
  await expect(badge.getToken({ tokenId: 1 })).resolves.toEqual({
    calledOn: null,
    url: 'http://badge.test/base/v1/tokens/1',
  });
});

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createDatabase } from '@badge/test-support/databases';
import type { HTTPMethods } from 'fastify';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createTestServer, startTestService, type TestService } from '../testing/services.ts';
import type { Server } from './server.ts';

let service: TestService;
let server: Server;
beforeAll(async () => {
  service = await startTestService({ BADGE_ROLE: 'api' });
  ({ server } = await createTestServer(service.context));
  await server.ready();
});
afterAll(async () => {
  await server.close();
  await service.stop();
});

type Headers = Record<string, unknown>;

// No path has a route for this method. It stands for all methods that get 405.
const UNKNOWN_METHOD = 'PROPFIND';

/** Returns the routes of the router. Parses the tree of `printRoutes`: a node is a part of a path. */
function listRoutes(): { method: HTTPMethods; path: string }[] {
  const parents: string[] = [];
  return server
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^([│├└─ ]+)(\S+) \((.*)\)$/.exec(line) ?? [];
      const depth = indent.length / 4;
      parents.splice(Math.max(depth - 1, 0), Number.POSITIVE_INFINITY, part);
      const path = parents.join('');
      const names = methods === '' ? [] : methods.split(', ');
      return names.map((name) => ({ method: name as HTTPMethods, path }));
    });
}

function call({ method, path }: { method: HTTPMethods; path: string }, key?: string) {
  const url = path
    .replace('*', '/nothing')
    .replaceAll(/:communityId/g, 'demo')
    .replaceAll(/:\w+/g, '1');
  const headers = key === undefined ? {} : { 'x-api-key': key };
  return server.inject({ method: method as 'GET', url, headers });
}

const isWebPage = (path: string) =>
  /^\/(|badges|unsubscribe|verify|console.*|(claim|embed|reserve|token|wallet|community)\/.*)$/.test(path);

// The only page that others can show in a frame.
const isEmbed = (path: string) => path === '/embed/token/:tokenId';

function expectSecurityHeaders(headers: Headers, title: string, { mayBeFramed = false } = {}): void {
  const policy = mayBeFramed
    ? /^default-src 'none'; frame-ancestors \*;/
    : /^default-src 'none'; (frame-ancestors 'none'|sandbox)/;
  expect(headers, title).toMatchObject({
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringMatching(policy),
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': expect.stringMatching(/^(same-origin|cross-origin)$/),
    'x-request-id': expect.stringMatching(/./),
  });
  expect(headers, title).not.toHaveProperty('x-powered-by');
}

async function sendRaw(service: TestService, request: string): Promise<{ status: number; headers: Headers }> {
  const socket = connect(service.port ?? 0, '127.0.0.1');
  socket.end(request);
  const [head = ''] = (await text(socket)).split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => {
    const [name = '', ...value] = line.split(': ');
    return [name.toLowerCase(), value.join(': ')];
  });
  return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers) };
}

test('with a right, a wrong and no key, every response has the security headers, and every error also no-store', {
  tags: ['slow'],
}, async () => {
  const routes = listRoutes();
  for (const path of new Set(routes.map((route) => route.path)))
    routes.push({ method: UNKNOWN_METHOD, path });
  expect(routes.length).toBeGreaterThan(200);
  const statuses = new Set<number>();
  for (const route of routes) {
    for (const key of [undefined, service.adminKey, 'a wrong key']) {
      const { statusCode, headers } = await call(route, key);
      statuses.add(statusCode);
      const title = `${route.method} ${route.path} ${statusCode}`;
      // The methods that the path does not have are refused before.
      const mayBeFramed = isEmbed(route.path) && ['GET', 'HEAD'].includes(route.method);
      expectSecurityHeaders(headers, title, { mayBeFramed });
      if (statusCode >= 400) {
        const isPage =
          isWebPage(route.path) &&
          (['GET', 'HEAD'].includes(route.method) || `${route.method} ${route.path}` === 'POST /unsubscribe');
        const contentType = isPage ? 'text/html; charset=utf-8' : 'application/problem+json';
        expect(headers, title).toMatchObject({ 'cache-control': 'no-store', 'content-type': contentType });
      }
      if (statusCode === 204) expect(headers, title).not.toHaveProperty('content-length');
    }
  }
  expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 401, 404, 405, 415]));
});

test('responses of routes that require a key have Cache-Control: no-store', async () => {
  let succeeded = 0;
  for (const route of listRoutes()) {
    if ((await call(route)).statusCode !== 401) continue;
    const { statusCode, headers } = await call(route, service.adminKey);
    expect(headers['cache-control'], `${route.method} ${route.path} ${statusCode}`).toBe('no-store');
    if (statusCode < 300) succeeded += 1;
  }
  expect(succeeded).toBeGreaterThan(4);
});

describe('a response that no route sends', () => {
  test.each([
    ['an unknown path', 'GET /nothing HTTP/1.1\r\nHost: a\r\n', 404],
    ['an unknown path of /v1', 'GET /v1/nothing HTTP/1.1\r\nHost: a\r\n', 404],
    ['a malformed path', 'GET /v1/tokens/%zz HTTP/1.1\r\nHost: a\r\n', 400],
    ['a request that is not HTTP', 'nonsense\r\n', 400],
    ['headers that are too large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n`, 431],
  ])('to %s has the security headers', async (title, head, expected) => {
    const { status, headers } = await sendRaw(service, `${head}Connection: close\r\n\r\n`);
    expect(status).toBe(expected);
    expectSecurityHeaders(headers, title);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/problem+json',
    });
    expect(headers).not.toHaveProperty('strict-transport-security');
  });
});

test('pages of other origins can read the API, metadata, images, oEmbed and /openapi.json, but can embed only images', async () => {
  const resourcePolicyOf = async (path: string) =>
    (await server.inject(path)).headers['cross-origin-resource-policy'];
  expect(await resourcePolicyOf('/images/logo.png')).toBe('cross-origin');
  for (const path of ['/v1/tokens', '/metadata/1', '/openapi.json']) {
    expect(await resourcePolicyOf(path), path).toBe('same-origin');
  }
  expect(await resourcePolicyOf('/oembed?url=x')).toBe('cross-origin');
  for (const path of ['/v1/tokens', '/metadata/1', '/images/logo.png', '/oembed', '/openapi.json']) {
    const { headers } = await server.inject({ url: path, headers: { origin: 'https://app.example.com' } });
    expect(headers['access-control-allow-origin'], path).toBe('*');
  }
});

test('the policy of /docs allows only its own scripts, and calls of the public URL', async () => {
  const { headers } = await server.inject('/docs/');
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("script-src 'self'; style-src 'self'; ");
  expect(policy).toMatch(/connect-src 'self' http:\/\/localhost:\d+$/);
  expect(policy).not.toContain('upgrade-insecure-requests');
});

test('/docs keeps keys in the browser in the sandbox only', async () => {
  const production = await startTestService({
    BADGE_ENVIRONMENT: 'production',
    BADGE_VERIFYING_CONTRACT: `0x${'2'.repeat(40)}`,
    DATABASE_URL: await createDatabase('empty'),
  });
  onTestFinished(production.stop);
  for (const [url, isKept] of [
    [production.url, false],
    [service.url, true],
  ] as const) {
    const script = await (await fetch(`${url}/docs/static/swagger-initializer.js`)).text();
    expect(script).toContain(`"persistAuthorization":${isKept}`);
  }
});

test('every response has HSTS if the public URL is https', async () => {
  const secure = await startTestService({ PUBLIC_URL: 'https://badge.example.com', BADGE_ROLE: 'api' });
  onTestFinished(secure.stop);
  for (const path of ['/healthz', '/v1/nothing', '/docs']) {
    const { headers } = await secure.call(path);
    expect(headers.get('strict-transport-security'), path).toBe('max-age=31536000');
  }
  const { headers } = await sendRaw(secure, 'nonsense\r\n\r\n');
  expect(headers['strict-transport-security']).toBe('max-age=31536000');
});

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createDatabase } from '@badge/test-support/databases';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  expectSecurityHeaders,
  type Headers,
  responseHeadersFixture,
} from '../testing/response-headers-fixture.ts';
import { startTestService, type TestService } from '../testing/services.ts';

const fixture = responseHeadersFixture();
const { listRoutes, call } = fixture;

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

test('responses of routes that require a key have Cache-Control: no-store', async () => {
  let succeeded = 0;
  for (const route of listRoutes()) {
    if ((await call(route)).statusCode !== 401) continue;
    const { statusCode, headers } = await call(route, fixture.service.adminKey);
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
    const { status, headers } = await sendRaw(fixture.service, `${head}Connection: close\r\n\r\n`);
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
    (await fixture.server.inject(path)).headers['cross-origin-resource-policy'];
  expect(await resourcePolicyOf('/images/logo.png')).toBe('cross-origin');
  for (const path of ['/v1/tokens', '/metadata/1', '/openapi.json']) {
    expect(await resourcePolicyOf(path), path).toBe('same-origin');
  }
  expect(await resourcePolicyOf('/oembed?url=x')).toBe('cross-origin');
  for (const path of ['/v1/tokens', '/metadata/1', '/images/logo.png', '/oembed', '/openapi.json']) {
    const { headers } = await fixture.server.inject({
      url: path,
      headers: { origin: 'https://app.example.com' },
    });
    expect(headers['access-control-allow-origin'], path).toBe('*');
  }
});

test('the policy of /docs allows only its own scripts, and calls of the public URL', async () => {
  const { headers } = await fixture.server.inject('/docs/');
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
    [fixture.service.url, true],
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

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createDatabase } from '@badge/test-support/databases';
import { startTestDatabaseProxy } from '@badge/test-support/fixtures';
import { newWallet, signedBurn, signedClaim, signedToken } from '@badge/test-support/signing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Server } from '../../src/http/server.ts';
import { postToken, readOperation } from '../../src/testing/creations.ts';
import { createTestServer, startTestService, type TestService } from '../../src/testing/services.ts';
import {
  CONSOLE_SCRIPT_PATH,
  EARLIER_TARBALL,
  makeWebBuild,
  SCRIPT,
  SCRIPT_PATH,
  SDK_PATH,
  TARBALL,
} from '../../src/testing/web-builds.ts';
import type { WebBuild } from '../../src/web-build.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const PUBLIC_URL = 'https://badge.example.org';

let service: TestService;
let server: Server;
/** The name of the community `demo`. */
let communityName: string;
beforeAll(async () => {
  service = await startTestService({ PUBLIC_URL });
  const community = (await (await service.call('/v1/communities/demo')).json()) as { name: string };
  communityName = community.name;
  server = await startServer(service, await makeWebBuild());
});
afterAll(async () => {
  await server.close();
  await service.stop();
});

async function startServer({ context }: TestService, webBuild: WebBuild | null): Promise<Server> {
  const created = await createTestServer(context, { webBuild });
  await created.server.ready();
  return created.server;
}

async function createToken(fields: Record<string, unknown> = {}): Promise<number> {
  const response = await postToken(service, await signedToken(fields));
  const operation = await readOperation(service, response.headers.get('location') ?? '');
  return operation.resourceId ?? 0;
}

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers });

/** Returns the text of a tag, such as that of `og:title`. */
function readTag(html: string, name: string): string | undefined {
  return new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`).exec(html)?.[1];
}

describe('the HTML of a page', () => {
  test('has the title, the description and the picture of its token', async () => {
    const tokenId = await createToken({ headline: 'Speaker 2026', description: 'For speakers.' });
    const { statusCode, headers, body } = await get(`/token/${tokenId}`);
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body).toContain('<title>Speaker 2026 · Badge</title>');
    expect(body).toContain(`<link rel="canonical" href="${PUBLIC_URL}/token/${tokenId}">`);
    expect(body).toContain(`src="${SCRIPT_PATH}"`);
    expect(body).toContain(
      `<link rel="preload" as="image" fetchpriority="high" href="/images/token/${tokenId}.png">`,
    );
    const names = ['description', 'og:title', 'og:description', 'og:url', 'og:image', 'og:image:width'];
    expect(names.map((name) => readTag(body, name))).toEqual([
      `A badge of ${communityName}. For speakers.`,
      'Speaker 2026',
      `A badge of ${communityName}. For speakers.`,
      `${PUBLIC_URL}/token/${tokenId}`,
      `${PUBLIC_URL}/images/token/${tokenId}.png`,
      '1000',
    ]);
  });

  test('states the width and height of the picture of a built-in design', async () => {
    const tokenId = await createToken();
    const { rawPayload } = await get(`/images/token/${tokenId}.png`);
    // The header of a PNG has its width and height at these offsets.
    const size = [rawPayload.readUInt32BE(16), rawPayload.readUInt32BE(20)].map(String);
    const { body } = await get(`/claim/${tokenId}`);
    expect([readTag(body, 'og:image:width'), readTag(body, 'og:image:height')]).toEqual(size);
  });

  test('escapes what a community has written', async () => {
    const headline = `</title><script>alert('"&')</script>`;
    const tokenId = await createToken({ headline, description: `"><img src=x onerror="alert(1)">` });
    for (const path of [
      `/token/${tokenId}`,
      `/claim/${tokenId}`,
      `/claim/${tokenId}/print`,
      `/reserve/${tokenId}`,
    ]) {
      const { body } = await get(path);
      expect(body).not.toMatch(/<script>|<img/);
      expect(body).toContain('&lt;/title&gt;&lt;script&gt;alert(&#39;&quot;&amp;&#39;)&lt;/script&gt;');
      expect(readTag(body, 'og:description')).toEqual(
        expect.stringMatching(/\. &quot;&gt;&lt;img src=x onerror=&quot;alert\(1\)&quot;&gt;$/),
      );
    }
  });

  test('has a description of at most 200 characters in one line', async () => {
    const tokenId = await createToken({ description: `one\n\ntwo ${'🎉'.repeat(300)}` });
    const description = readTag((await get(`/token/${tokenId}`)).body, 'og:description') ?? '';
    expect(description).toMatch(/\. one two 🎉+…$/u);
    expect(Array.from(description)).toHaveLength(200);
  });

  test('names the community of a token', async () => {
    const tokenId = await createToken();
    const descriptions = ['/token/ID', '/claim/ID', '/claim/ID/print', '/reserve/ID'].map(async (path) =>
      readTag((await get(path.replace('ID', `${tokenId}`))).body, 'og:description'),
    );
    expect(await Promise.all(descriptions)).toEqual([
      `A badge of ${communityName}.`,
      `Claim this badge of ${communityName}. It costs nothing.`,
      `A sheet of QR codes to claim this badge of ${communityName} at an event.`,
      `Confirm your e-mail, and this badge of ${communityName} waits until you have a wallet.`,
    ]);
  });

  test('names the address in its parameter `owner` only if this address has the token', async () => {
    const tokenId = await createToken({ headline: 'Speaker 2026' });
    const claim = await service.call(`/v1/tokens/${tokenId}/claim`, {
      method: 'POST',
      key: service.apiKey,
      body: JSON.stringify({ claimingAddress: ADDRESS }),
      headers: { 'Content-Type': 'application/json' },
    });
    await readOperation(service, claim.headers.get('location') ?? '');
    const { body } = await get(`/token/${tokenId}?owner=${ADDRESS.toLowerCase()}`);
    const names = ['og:title', 'og:description', 'og:url'];
    expect(names.map((name) => readTag(body, name))).toEqual([
      'Speaker 2026: badge of 0x5290…9EE7',
      `0x5290…9EE7 has this badge of ${communityName}.`,
      `${PUBLIC_URL}/token/${tokenId}?owner=${ADDRESS}`,
    ]);
    const stranger = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
    for (const query of [`owner=${stranger}`, 'owner=ada', `owner=${ADDRESS}&owner=${ADDRESS}`, 'owner=']) {
      const other = await get(`/token/${tokenId}?${query}`);
      expect([other.statusCode, readTag(other.body, 'og:title')]).toEqual([200, 'Speaker 2026']);
      expect(readTag(other.body, 'og:url')).toBe(`${PUBLIC_URL}/token/${tokenId}`);
    }
  });

  test('no longer names the owner after the owner has burnt the token', async () => {
    const tokenId = await createToken({ headline: 'Speaker 2026' });
    const owner = newWallet();
    const readTitle = async () => {
      const { body } = await get(`/token/${tokenId}?owner=${owner.address}`);
      return readTag(body, 'og:title');
    };
    const send = async (action: string, json: object) => {
      const response = await service.call(`/v1/tokens/${tokenId}/${action}`, { json });
      await readOperation(service, response.headers.get('location') ?? '');
    };
    await send('claim', await signedClaim(tokenId, owner));
    expect(await readTitle()).toContain(': badge of 0x');
    await send('burn', await signedBurn(tokenId, owner));
    expect(await readTitle()).toBe('Speaker 2026');
  });

  test('has the tags of a community, of a wallet and of the landing page', async () => {
    const tags = ['/community/demo', `/wallet/${ADDRESS}`, '/'].map(async (path) => {
      const { statusCode, body } = await get(path);
      return [statusCode, readTag(body, 'og:title'), readTag(body, 'og:url'), readTag(body, 'og:image')];
    });
    const logo = `${PUBLIC_URL}/images/logo.png`;
    expect(await Promise.all(tags)).toEqual([
      [200, communityName, `${PUBLIC_URL}/community/demo`, logo],
      [200, 'Badges of 0x5290…9EE7', `${PUBLIC_URL}/wallet/${ADDRESS}`, logo],
      [200, 'Badge', `${PUBLIC_URL}/`, logo],
    ]);
  });

  test('is also sent for a hidden token, because the API returns hidden tokens too', async () => {
    const tokenId = await createToken();
    const hidden = await service.call(`/v1/tokens/${tokenId}`, {
      method: 'PATCH',
      key: service.apiKey,
      body: '{"isHidden":true}',
      headers: { 'Content-Type': 'application/json' },
    });
    expect(hidden.status).toBe(200);
    expect((await get(`/token/${tokenId}`)).statusCode).toBe(200);
  });

  test('allows only scripts, styles and requests of its own origin, and nothing inline', async () => {
    const policy = String((await get('/')).headers['content-security-policy']);
    expect(policy).toContain(
      "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
    expect(policy).toContain("script-src 'self'; style-src 'self'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toContain('unsafe');
  });

  test('of the console is the same for all its pages', async () => {
    const { statusCode, headers, body } = await get('/console');
    expect(statusCode).toBe(200);
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    expect(body).toContain('<title>Console · Badge</title>');
    expect(body).toContain(`src="${CONSOLE_SCRIPT_PATH}"`);
    for (const path of ['/console/settings/members', '/console/badges/1/give', '/console/no/such/page']) {
      expect((await get(path)).body).toBe(body);
    }
    expect((await get('/')).body).not.toContain(CONSOLE_SCRIPT_PATH);
    // Another page that starts with the same letters is none of the console.
    expect((await get('/consoles')).statusCode).toBe(404);
  });

  test('is revalidated at every visit, with an ETag', async () => {
    const first = await get('/');
    expect(first.headers['cache-control']).toBe('no-cache');
    const etag = String(first.headers.etag);
    const second = await get('/', { 'if-none-match': etag });
    expect([second.statusCode, second.body]).toEqual([304, '']);
    expect((await get(`/wallet/${ADDRESS}`, { 'if-none-match': etag })).statusCode).toBe(200);
  });

  test('has the same Content-Length and ETag for HEAD', async () => {
    const { body, headers } = await get('/');
    const head = await server.inject({ method: 'HEAD', url: '/' });
    expect([head.statusCode, head.body]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(body)));
    expect(head.headers.etag).toBe(headers.etag);
  });

  test.each([
    '/token/999999',
    '/token/one',
    '/claim/999999',
    '/claim/0/print',
    '/reserve/0',
    '/community/unknown',
    '/wallet/0x1234',
  ])('has no tags and the status 404 at %s', async (path) => {
    const { statusCode, headers, body } = await get(path);
    expect(statusCode).toBe(404);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    expect(body).toContain('<div id="root">');
    expect(body).not.toContain('og:');
  });

  test.each([
    ['/token/one', 'TokenNotFound'],
    ['/wallet/0x1234', 'NotFound'],
  ])('is a problem object for clients that prefer JSON, if there is no such page: %s', async (path, name) => {
    for (const accept of ['application/json', 'application/problem+json, */*;q=0.1']) {
      const { statusCode, headers, body } = await get(path, { accept });
      expect([statusCode, headers['content-type']]).toEqual([404, 'application/problem+json']);
      expect(JSON.parse(body)).toMatchObject({ name });
    }
    for (const accept of ['*/*', 'text/html,application/xhtml+xml,*/*;q=0.8', 'text/plain']) {
      expect((await get(path, { accept })).headers['content-type']).toBe('text/html; charset=utf-8');
    }
  });

  test('has no tags and the status 503 while the database is unavailable', async () => {
    const proxy = await startTestDatabaseProxy(await createDatabase());
    const other = await startTestService({ DATABASE_URL: proxy.url });
    onTestFinished(() => other.stop());
    const otherServer = await startServer(other, await makeWebBuild());
    onTestFinished(() => otherServer.close());
    await proxy.stop();
    const { statusCode, headers, body } = await otherServer.inject('/token/1');
    expect([statusCode, headers['retry-after']]).toEqual([503, '1']);
    expect(body).toContain('<div id="root">');
    expect((await otherServer.inject('/')).statusCode).toBe(200);
  });
});

describe('a file of the pages', () => {
  test.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', undefined],
    ['', undefined],
  ])('for Accept-Encoding "%s" has the Content-Encoding %s', async (accepted, encoding) => {
    const { statusCode, headers, rawPayload } = await get(SCRIPT_PATH, { 'accept-encoding': accepted });
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    expect(headers['content-encoding']).toBe(encoding);
    const decode =
      { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? ''] ?? ((bytes: Buffer) => bytes);
    expect(decode(rawPayload).toString()).toBe(SCRIPT);
  });

  test('has an ETag for each encoding', async () => {
    const [plain, compressed] = await Promise.all([
      get(SCRIPT_PATH),
      get(SCRIPT_PATH, { 'accept-encoding': 'gzip' }),
    ]);
    expect(plain.headers.etag).not.toBe(compressed.headers.etag);
    const again = await get(SCRIPT_PATH, {
      'accept-encoding': 'gzip',
      'if-none-match': String(compressed.headers.etag),
    });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test('without a hash in its name is cached for five minutes', async () => {
    const { statusCode, headers } = await get('/favicon.svg');
    expect([statusCode, headers['content-type']]).toEqual([200, 'image/svg+xml']);
    expect(headers['cache-control']).toBe('public, max-age=300');
  });

  test.each([
    [SDK_PATH, TARBALL],
    ['/sdk-0.9.0.tgz', EARLIER_TARBALL],
  ])('is the tarball of a version of the SDK, which never changes: %s', async (path, tarball) => {
    const { headers, rawPayload } = await get(path, { 'accept-encoding': 'br, gzip' });
    expect(rawPayload).toEqual(tarball);
    expect(headers).toMatchObject({
      'content-type': 'application/gzip',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(headers).not.toHaveProperty('content-encoding');
    const again = await get(path, { 'if-none-match': String(headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test('redirects to the newest SDK, for as long as it is the newest', async () => {
    const { statusCode, headers } = await get('/sdk.tgz');
    expect(statusCode).toBe(302);
    expect(headers).toMatchObject({ location: SDK_PATH, 'cache-control': 'no-cache' });
  });

  test('of a version of the SDK that the service does not have returns 404, and names the newest', async () => {
    const { statusCode, body } = await get('/sdk-99.0.0.tgz');
    expect(statusCode).toBe(404);
    expect(JSON.parse(body)).toMatchObject({ name: 'NotFound', detail: expect.stringContaining(SDK_PATH) });
  });

  test.each(['/assets/unknown.js', `${SCRIPT_PATH}.br`, '/assets/..%2findex.html', '/index.html'])(
    'that does not exist, such as %s, is a problem object with the status 404',
    async (path) => {
      const { statusCode, headers } = await get(path);
      expect([statusCode, headers['content-type']]).toEqual([404, 'application/problem+json']);
    },
  );
});

test('pages and files return 405 for other methods, and unknown paths return 404, as problem objects', async () => {
  const responses = await Promise.all([
    server.inject({ method: 'POST', url: '/' }),
    server.inject({ method: 'DELETE', url: SCRIPT_PATH }),
    server.inject('/unknown'),
    server.inject('/v1/unknown'),
    server.inject('/token/1/unknown'),
  ]);
  expect(responses.map(({ statusCode }) => statusCode)).toEqual([405, 405, 404, 404, 404]);
  for (const { headers } of responses) expect(headers['content-type']).toBe('application/problem+json');
});

describe('an unknown path', () => {
  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  test.each(['/unknown', '/token/1/unknown', '/docs/unknown', '/images/unknown'])(
    'is the HTML of the pages for a browser: %s',
    async (path) => {
      const { statusCode, headers, body } = await get(path, { accept: BROWSER });
      expect(statusCode).toBe(404);
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("script-src 'self'"),
      });
      expect(body).toContain('<title>Badge</title>');
    },
  );

  test.each([
    ['/unknown', '*/*'],
    ['/unknown', 'application/json'],
    ['/unknown', 'application/json, text/html;q=0.5'],
    ['/unknown', 'text/html;q=0'],
    ['/unknown', ''],
    ['/v1/unknown', BROWSER],
  ])('is a problem object for everyone else: %s, Accept: %s', async (path, accept) => {
    const { statusCode, headers, body } = await get(path, { accept });
    expect([statusCode, headers['content-type']]).toEqual([404, 'application/problem+json']);
    expect(JSON.parse(body)).toMatchObject({ name: 'NotFound' });
  });

  test('is a problem object for other methods, and if the pages are not built', async () => {
    const unbuilt = await startServer(service, null);
    onTestFinished(() => unbuilt.close());
    const headers = { accept: BROWSER };
    const responses = await Promise.all([
      server.inject({ method: 'POST', url: '/unknown', headers }),
      unbuilt.inject({ url: '/unknown', headers }),
    ]);
    for (const response of responses)
      expect([response.statusCode, response.headers['content-type']]).toEqual([
        404,
        'application/problem+json',
      ]);
  });
});

test('without built pages, every page says how to build them, and files return 404', async () => {
  const unbuilt = await startServer(service, null);
  onTestFinished(() => unbuilt.close());
  for (const path of ['/', '/token/1', '/wallet/unknown']) {
    const { statusCode, headers, body } = await unbuilt.inject(path);
    expect([statusCode, headers['cache-control']]).toEqual([503, 'no-store']);
    expect(body).toContain('npm run prepare');
  }
  for (const path of [SCRIPT_PATH, '/sdk.tgz', SDK_PATH])
    expect((await unbuilt.inject(path)).statusCode).toBe(404);
});

test('a worker serves no pages', async () => {
  const worker = await startTestService({ BADGE_ROLE: 'worker', PORT: '0' });
  onTestFinished(() => worker.stop());
  const response = await worker.call('/');
  expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
});

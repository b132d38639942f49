import type { OEmbed } from '@badge/protocol';
import { newWallet, signedBurn, signedClaim, signedToken, type Wallet } from '@badge/test-support/signing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/http/server.ts';
import { postToken, readOperation } from '../../src/testing/creations.ts';
import { createTestServer, startTestService, type TestService } from '../../src/testing/services.ts';

const PUBLIC_URL = 'https://badge.example.org';

let service: TestService;
let server: Server;
beforeAll(async () => {
  service = await startTestService({ PUBLIC_URL, IMAGE_URL: 'https://cdn.example.org/pictures' });
  // The embeds need no built pages.
  ({ server } = await createTestServer(service.context, { webBuild: null }));
  await server.ready();
});
afterAll(async () => {
  await server.close();
  await service.stop();
});

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers });

async function createToken(fields: Record<string, unknown> = {}): Promise<number> {
  const response = await postToken(service, await signedToken({ headline: 'Speaker 2026', ...fields }));
  return (await readOperation(service, response.headers.get('location') ?? '')).resourceId ?? 0;
}

async function send(path: string, json: object, key?: string): Promise<void> {
  const response = await service.call(path, { json, ...(key === undefined ? {} : { key }) });
  expect(await readOperation(service, response.headers.get('location') ?? '')).toMatchObject({
    status: 'success',
  });
}

async function claim(tokenId: number, owner = newWallet()): Promise<Wallet> {
  await send(`/v1/tokens/${tokenId}/claim`, await signedClaim(tokenId, owner));
  return owner;
}

describe('an embed', () => {
  test('shows the picture, the headline, the community and the link of the page', async () => {
    const tokenId = await createToken();
    await claim(tokenId);
    const { statusCode, headers, body } = await get(`/embed/token/${tokenId}`);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain('<html lang="en" dir="ltr">');
    // From the page's own origin, not from `IMAGE_URL`.
    expect(body).toContain(`<img src="/images/token/${tokenId}.png?size=256" alt=""`);
    expect(body).toContain(
      `<a href="${PUBLIC_URL}/token/${tokenId}" target="_blank" rel="noopener"><bdi>Speaker 2026</bdi></a>`,
    );
    expect(body).toMatch(/<p class="community"><bdi>[^<]+<\/bdi>/);
    expect(body).toContain('1 claimed');
    expect(body).toContain('badge.example.org');
    expect(body).not.toContain('<script');
  });

  test('may be framed by every page, also by isolated ones, and loads nothing of other sites', async () => {
    const { headers } = await get(`/embed/token/${await createToken()}`);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; frame-ancestors *;");
    expect(policy).toMatch(/; style-src 'sha256-[\w+/]+='; img-src 'self' https:\/\/badge\.example\.org$/);
    expect(headers).toMatchObject({
      'cross-origin-resource-policy': 'cross-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'x-robots-tag': 'noindex',
    });
  });

  test('says that an address has the badge, and since when', async () => {
    const tokenId = await createToken();
    const { address } = await claim(tokenId);
    const { body } = await get(`/embed/token/${tokenId}?owner=${address.toLowerCase()}`);
    expect(body).toContain(`<bdi title="${address}">${address.slice(0, 6)}…${address.slice(-4)}</bdi>`);
    expect(body).toMatch(
      /has this badge<\/strong> Claimed on <time datetime="20\d\d-[^"]+">\w{3} \d+, 20\d\d<\/time>/,
    );
    expect(body).toContain(`href="${PUBLIC_URL}/token/${tokenId}?owner=${address}"`);
  });

  test.each(['revoke', 'move', 'burn'])('says what has become of the badge after %s', async (action) => {
    const tokenId = await createToken();
    const owner = await claim(tokenId);
    const path = `/v1/tokens/${tokenId}/owners/${owner.address}`;
    if (action === 'burn') await send(`/v1/tokens/${tokenId}/burn`, await signedBurn(tokenId, owner));
    else {
      const target = action === 'move' ? { toAddress: newWallet().address } : {};
      await send(`${path}/${action}`, { reason: 'a test', ...target }, service.apiKey);
    }
    const { body } = await get(`/embed/token/${tokenId}?owner=${owner.address}`);
    expect(body).toContain('does not have this badge</strong>');
    const said = {
      revoke: 'The community revoked it on <time',
      move: 'The community moved it to another address on <time',
      burn: 'This address gave it up on <time',
    }[action];
    expect(body).toContain(said);
    expect(body).not.toContain('Claimed on');
  });

  test('says that a stranger does not have the badge', async () => {
    const { body } = await get(`/embed/token/${await createToken()}?owner=${newWallet().address}`);
    expect(body).toContain('does not have this badge</strong></p>');
  });

  test.each(['ada', '0x1', `${'0x'.padEnd(42, '0')}&owner=x`, '"><script>'])(
    'names nobody if the owner is %s',
    async (owner) => {
      const { statusCode, body } = await get(`/embed/token/${await createToken()}?owner=${owner}`);
      expect(statusCode).toBe(200);
      expect(body).toContain('0 claimed');
      expect(body).not.toContain('<script');
    },
  );

  test('escapes the headline', async () => {
    const tokenId = await createToken({ headline: '"><script>alert(1)</script>' });
    const { body } = await get(`/embed/token/${tokenId}`);
    expect(body).not.toContain('<script');
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  test('is in the language of its URL, otherwise in that of the visitor', async () => {
    const tokenId = await createToken();
    await claim(tokenId);
    await claim(tokenId);
    const arabic = await get(`/embed/token/${tokenId}?language=ar`, { 'accept-language': 'es' });
    expect(arabic.body).toContain('<html lang="ar" dir="rtl">');
    expect(arabic.body).toContain('استُلمت مرتين');
    const spanish = await get(`/embed/token/${tokenId}`, { 'accept-language': 'es-MX,en;q=0.5' });
    expect(spanish.body).toContain('<html lang="es" dir="ltr">');
    expect(spanish.body).toContain('2 reclamadas');
    expect(spanish.headers.vary).toBe('Accept-Language');
  });

  test('has the theme of its URL, otherwise that of the visitor', async () => {
    const tokenId = await createToken();
    const themes = ['?theme=dark', '?theme=light', '?theme=pink', ''].map(async (query) => {
      const { body } = await get(`/embed/token/${tokenId}${query}`);
      return /data-theme="(\w+)"><head>/.exec(body)?.[1];
    });
    expect(await Promise.all(themes)).toEqual(['dark', 'light', undefined, undefined]);
  });

  test('can be kept for a minute, and has an ETag', async () => {
    const tokenId = await createToken();
    const { headers } = await get(`/embed/token/${tokenId}`);
    expect(headers['cache-control']).toBe('public, max-age=60');
    const etag = String(headers.etag);
    const again = await get(`/embed/token/${tokenId}`, { 'if-none-match': etag });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    await claim(tokenId);
    expect((await get(`/embed/token/${tokenId}`, { 'if-none-match': etag })).statusCode).toBe(200);
  });

  test('of a token that does not exist says so, as a page that may be framed', async () => {
    const { statusCode, headers, body } = await get('/embed/token/999999?language=es');
    expect([statusCode, headers['cache-control']]).toEqual([404, 'no-store']);
    expect(headers['content-security-policy']).toContain('frame-ancestors *');
    expect(body).toMatch(/^<!doctype html>\n<html lang="es" dir="ltr">/);
    expect(body).toContain('<h1>Esta insignia no existe</h1>');
    const problem = await get('/embed/token/one', { accept: 'application/json' });
    expect(problem.json()).toMatchObject({ name: 'TokenNotFound', status: 404 });
  });
});

describe('oEmbed', () => {
  const oembed = async (page: string, parameters: Record<string, string> = {}) => {
    const query = new URLSearchParams({ url: `${PUBLIC_URL}${page}`, ...parameters });
    return (await get(`/oembed?${query}`)).json() as OEmbed;
  };

  test('returns a frame for the page of a badge', async () => {
    const tokenId = await createToken({ headline: 'A "B" <c>' });
    const response = await get(
      `/oembed?url=${encodeURIComponent(`${PUBLIC_URL}/token/${tokenId}`)}&format=json`,
    );
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(response.json()).toEqual({
      version: '1.0',
      type: 'rich',
      title: 'A "B" <c>',
      author_name: expect.stringMatching(/./),
      author_url: `${PUBLIC_URL}/community/demo`,
      provider_name: 'Badge',
      provider_url: `${PUBLIC_URL}/`,
      cache_age: 300,
      html: `<iframe src="${PUBLIC_URL}/embed/token/${tokenId}" title="A &quot;B&quot; &lt;c&gt;" width="400" height="200" loading="lazy" frameborder="0" style="border:0;border-radius:12px;max-width:100%"></iframe>`,
      width: 400,
      height: 200,
      thumbnail_url: `https://cdn.example.org/pictures/token/${tokenId}.png?size=512`,
      thumbnail_width: 512,
      thumbnail_height: 512,
    });
  });

  test('keeps the owner of the link', async () => {
    const tokenId = await createToken();
    const { address } = newWallet();
    const { html } = await oembed(`/token/${tokenId}/?owner=${address.toLowerCase()}&utm=x#top`);
    expect(html).toContain(`src="${PUBLIC_URL}/embed/token/${tokenId}?owner=${address}"`);
    expect((await oembed(`/token/${tokenId}?owner=ada`)).html).toContain(`/embed/token/${tokenId}"`);
  });

  test.each([
    [{ maxwidth: '320' }, { width: 320, height: 200, thumbnail_width: 256 }],
    [
      { maxwidth: '1000', maxheight: '1000' },
      { width: 400, height: 200, thumbnail_width: 512 },
    ],
    [{ maxheight: '170' }, { width: 400, height: 170, thumbnail_width: 128 }],
  ])('respects %j', async (limits, expected) => {
    const response = await oembed(`/token/${await createToken()}`, limits as Record<string, string>);
    expect(response).toMatchObject({ type: 'rich', ...expected });
    expect(response.thumbnail_height).toBe(response.thumbnail_width);
    expect(response.thumbnail_url).toContain(`?size=${response.thumbnail_width}`);
    expect(response.html).toContain(`width="${expected.width}" height="${expected.height}"`);
  });

  test('is only a link if the space is too small for the embed', async () => {
    const tokenId = await createToken();
    for (const limits of [{ maxwidth: '299' }, { maxheight: '100' }] as Record<string, string>[]) {
      const response = await oembed(`/token/${tokenId}`, limits);
      expect(response).toMatchObject({ type: 'link', title: 'Speaker 2026' });
      expect(response).not.toHaveProperty('html');
      expect(response).not.toHaveProperty('width');
    }
    expect(await oembed(`/token/${tokenId}`, { maxwidth: '63' })).not.toHaveProperty('thumbnail_url');
  });

  test('accepts http for https, and ignores parameters that it does not know', async () => {
    const url = `http://badge.example.org/token/${await createToken()}`;
    expect((await get(`/oembed?url=${encodeURIComponent(url)}&dnt=1&_wpnonce=x`)).statusCode).toBe(200);
  });

  test.each([
    [`${PUBLIC_URL}/token/999999`, 404, 'TokenNotFound'],
    [`${PUBLIC_URL}/token/one`, 404, 'TokenNotFound'],
    [`${PUBLIC_URL}/token/`, 404, 'NotFound'],
    [`${PUBLIC_URL}/claim/1`, 404, 'NotFound'],
    [`${PUBLIC_URL}:444/token/1`, 404, 'NotFound'],
    ['https://badge.example.org.evil.example/token/1', 404, 'NotFound'],
    ['ftp://badge.example.org/token/1', 404, 'NotFound'],
    ['token/1', 404, 'NotFound'],
  ])('for %s is %i %s, which pages can read', async (url, status, name) => {
    const response = await get(`/oembed?url=${encodeURIComponent(url)}`);
    expect(response.statusCode).toBe(status);
    expect(response.json()).toMatchObject({ name });
    expect(response.headers['access-control-allow-origin']).toBe('*');
  });

  test('returns 501 for XML', async () => {
    const response = await get('/oembed?url=x&format=xml');
    expect([response.statusCode, response.json().name]).toEqual([501, 'FormatNotSupported']);
  });

  test('is named by the page of a badge, with its owner', async () => {
    const { server: withPages } = await createTestServer(service.context, {
      webBuild: { html: { start: '', end: '' }, consoleHtml: { start: '', end: '' }, files: new Map() },
    });
    await withPages.ready();
    const tokenId = await createToken({ headline: 'A & B' });
    const { address } = await claim(tokenId);
    const { body } = await withPages.inject(`/token/${tokenId}?owner=${address}`);
    const [, href = ''] =
      /<link rel="alternate" type="application\/json\+oembed" href="([^"]+)" title="A &amp; B: [^"]+">/.exec(
        body,
      ) ?? [];
    const url = new URL(href.replaceAll('&amp;', '&'));
    expect(url.origin + url.pathname).toBe(`${PUBLIC_URL}/oembed`);
    const found = (await get(url.pathname + url.search)).json() as OEmbed;
    expect(found.html).toContain(`/embed/token/${tokenId}?owner=${address}"`);
    expect((await withPages.inject(`/claim/${tokenId}`)).body).not.toContain('oembed');
    await withPages.close();
  });
});

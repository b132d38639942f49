import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Problem } from '@badge/protocol';
import { type Nginx, type NginxOptions, startNginx } from '@badge/test-support/nginx';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startService } from '../acceptance/service-under-test.ts';

const NOT_LISTENING = 'http://127.0.0.1:1';
const MIB = 1024 ** 2;

let service: Awaited<ReturnType<typeof startService>>;
let serviceUrl: string;
let nginx: Nginx;
beforeAll(async () => {
  service = await startService({ BADGE_TRUST_PROXY: '127.0.0.1', BADGE_RATE_LIMIT: '1000/40' });
  serviceUrl = service.baseUrl.replace('localhost', '127.0.0.1');
  nginx = await startNginx({ upstreams: [serviceUrl] });
});
afterAll(async () => {
  await nginx.stop();
  await service.stop();
});

async function startTestNginx(options: NginxOptions): Promise<Nginx> {
  const started = await startNginx(options);
  onTestFinished(() => started.stop());
  return started;
}

/** Expects a problem object of nginx with the headers that every one of them has. */
async function expectProblem(response: Response, status: number, name: string): Promise<void> {
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('retry-after')).toBe([502, 503, 504].includes(status) ? '1' : null);
  const problem = (await response.json()) as Problem;
  expect(problem).toMatchObject({ name, status, type: `https://badge.example/docs/errors#${name}` });
  expect(problem.error).toBe(problem.detail);
  expect(problem.instance).toBe(`urn:uuid:${response.headers.get('x-request-id')}`);
  expect(problem.instance).toMatch(/^urn:uuid:[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
}

/** Sends bytes and returns the response. */
async function write(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(bytes);
  return await text(socket);
}

test('what is not HTTP is rejected with 400', async () => {
  const response = await write(nginx.url, 'GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n');
  expect(response).toMatch(/^HTTP\/1.1 400 [\s\S]*"name":"InvalidRequest"/);
  expect(response).toContain('"errors":[{"parameter":"request","detail":"is not valid HTTP"}]');
});

test.each(['/metrics', '/metrics/', '//metrics', '/%6detrics'])('%s is rejected with 403', async (path) => {
  await expectProblem(await fetch(nginx.url + path), 403, 'ApiKeyNotAllowed');
});

test('a JSON body of more than 5 MiB is rejected with 413', async () => {
  const body = 'x'.repeat(5 * MIB + 1);
  await expectProblem(await fetch(`${nginx.url}/v1/tokens`, { method: 'POST', body }), 413, 'TooLarge');
});

test('20 kB of headers and a path of 20 kB are rejected with 431', async () => {
  const padding = 'p'.repeat(20_000);
  await expectProblem(await fetch(nginx.url, { headers: { padding } }), 431, 'HeadersTooLarge');
  await expectProblem(await fetch(`${nginx.url}/${padding}`), 431, 'HeadersTooLarge');
});

test('if no process accepts the connection, nginx returns 502', async () => {
  const { url } = await startTestNginx({ upstreams: [NOT_LISTENING, NOT_LISTENING] });
  await expectProblem(await fetch(url), 502, 'Unavailable');
});

test('if the service does not respond in time, nginx returns 504', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const { url } = await startTestNginx({
    upstreams: [`http://127.0.0.1:${port}`],
    changes: [['proxy_read_timeout 130s;', 'proxy_read_timeout 100ms;']],
  });
  await expectProblem(await fetch(url), 504, 'Unavailable');
});

test('too many requests of an address are refused with 503, and those for files and those of another address are served', async () => {
  const { url } = await startTestNginx({
    upstreams: [serviceUrl],
    changes: [
      ['burst=1500 delay=50', 'burst=20 nodelay'],
      ['rate=300r/s', 'rate=1r/s'],
    ],
  });
  const responses = await Promise.all(Array.from({ length: 60 }, () => fetch(`${url}/healthz`)));
  const refused = responses.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(30);
  await expectProblem(refused[0] as Response, 503, 'Unavailable');
  expect((await fetch(`${url}/assets/unknown.js`)).status).toBe(404);
  const { port } = new URL(url);
  const other = connect({ host: '127.0.0.1', port: Number(port), localAddress: '127.0.0.2' });
  other.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(await text(other)).toMatch(/^HTTP\/1.1 200 /);
});

test('after the first requests of a burst, the others wait', async () => {
  const { url } = await startTestNginx({
    upstreams: [serviceUrl],
    changes: [
      ['burst=1500 delay=50', 'burst=20 delay=2'],
      ['rate=300r/s', 'rate=20r/s'],
    ],
  });
  const beganMs = performance.now();
  const responses = await Promise.all(Array.from({ length: 13 }, () => fetch(`${url}/healthz`)));
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 13 }, () => 200));
  // Three pass at once, and one in each further 50 ms.
  expect(performance.now() - beganMs).toBeGreaterThan(400);
});

test('X-Forwarded-For of a client has no effect', async () => {
  const responses: Response[] = [];
  for (let sent = 0; sent < 60; sent += 1) {
    const headers = { 'X-Forwarded-For': `203.0.113.${sent}` };
    responses.push(await fetch(`${nginx.url}/v1/environment`, { headers }));
  }
  const remaining = responses.map(({ headers }) =>
    Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]),
  );
  // The requests share one quota, so it shrinks. Invented addresses would each have a whole one.
  expect(Math.min(...remaining)).toBeLessThan(190);
});

test.each([
  ['nftTypes', 'assetFile', 20],
  ['imports', 'file', 100],
])(
  'a file of %s of as many MiB as allowed is passed on, and a larger body is rejected with 413',
  async (noun, part, maxMib) => {
    const upload = async (bytes: number) => {
      const form = new FormData();
      form.set('id', 'large');
      form.set(part, new Blob([new Uint8Array(bytes)]));
      const headers = { 'X-API-Key': service.adminKey };
      const path = `/v1/communities/demo/${noun}`;
      return await fetch(nginx.url + path, { method: 'POST', headers, body: form });
    };
    // The service has read the file: the form lacks other parts.
    expect(((await (await upload(maxMib * MIB)).json()) as Problem).name).toBe('InvalidRequest');
    await expectProblem(await upload((maxMib + 2) * MIB), 413, 'TooLarge');
  },
);

test('TLS works with a certificate', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'badge-certificate-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const [key, certificate] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  const options = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=badge.example';
  execFileSync('openssl', ['req', ...options.split(' '), '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  const { url } = await startTestNginx({ upstreams: [serviceUrl], tls: { certificate, key } });
  const status = await new Promise((resolve, reject) => {
    const sent = request(`${url}/healthz`, { rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
  expect(status).toBe(200);
});

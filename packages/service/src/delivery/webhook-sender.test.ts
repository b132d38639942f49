import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { Resolve } from './guarded-lookup.ts';
import { createWebhookSender } from './webhook-sender.ts';

const CERTIFICATES = join(import.meta.dirname, '../testing/certificates');

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const receive = (listener: RequestListener) => listen(createServer(listener));

/** Responds to a request with raw bytes; null: with nothing. */
const receiveRaw = (respond: (socket: Socket) => void) =>
  listen(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => respond(socket));
    }),
  );

const sendTo = (url: string, options: Partial<Parameters<typeof createWebhookSender>[0]> = {}) =>
  createWebhookSender({
    allowedRanges: ['loopback'],
    isHttpAllowed: true,
    maxRequestMs: 500,
    unreachableAfterMs: 0,
    ...options,
  }).send({
    url,
    headers: { 'webhook-id': 'id' },
    body: '{"é":1}',
  });

test('the request has the body and the headers, and the response its status', async () => {
  const received: Record<string, unknown> = {};
  const port = await receive(async (request, response) => {
    Object.assign(received, { method: request.method, url: request.url, headers: request.headers });
    received.body = await text(request);
    response.writeHead(202).end('thank you');
  });
  const outcome = await sendTo(`http://127.0.0.1:${port}/hook?a=b`);
  expect(outcome).toEqual({ kind: 'response', status: 202, bodyStart: 'thank you', retryAfterSeconds: null });
  expect(received).toMatchObject({
    method: 'POST',
    url: '/hook?a=b',
    body: '{"é":1}',
    headers: {
      'webhook-id': 'id',
      'content-type': 'application/json',
      'content-length': '8',
      'user-agent': 'Badge-Webhooks/1',
      host: `127.0.0.1:${port}`,
    },
  });
});

test.each(['localhost', 'badge.localhost'])('%s is this machine, without a query to DNS', async (name) => {
  const port = await receive((_, response) => response.end());
  expect(await sendTo(`http://${name}:${port}/`)).toMatchObject({ status: 200 });
});

test('a redirect is not followed', async () => {
  let requests = 0;
  const port = await receive((_, response) => {
    requests += 1;
    response.writeHead(302, { Location: `http://127.0.0.1:${port}/elsewhere` }).end();
  });
  expect(await sendTo(`http://127.0.0.1:${port}/`)).toMatchObject({ kind: 'response', status: 302 });
  expect(requests).toBe(1);
});

const TIMEOUT = { kind: 'timeout', detail: 'There was no complete response within 0.5 seconds.' };

test.each<[string, (socket: Socket) => void]>([
  ['sends nothing', () => undefined],
  ['sends half of its headers', (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Le')],
  ['sends no body', (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n')],
  [
    'drips its headers',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('a: b\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    },
  ],
  [
    'drips its body',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(timer));
    },
  ],
  [
    'sends one information after the other',
    (socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    },
  ],
])('a receiver that %s is left at the time limit', async (_title, respond) => {
  const port = await receiveRaw(respond);
  const startMs = performance.now();
  expect(await sendTo(`http://127.0.0.1:${port}/`)).toEqual(TIMEOUT);
  expect(performance.now() - startMs).toBeLessThan(5_000);
});

test('a receiver that does not accept the connection is left at the time limit', async () => {
  // The queue of a server that does not accept has a limit, after which connections hang.
  const resolve: Resolve = () => new Promise(() => undefined);
  expect(await sendTo('http://slow.example/', { resolve })).toEqual(TIMEOUT);
});

test.each<[string, (socket: Socket) => void]>([
  ['closes the connection', (socket) => socket.end()],
  ['resets the connection', (socket) => socket.resetAndDestroy()],
  ['sends no HTTP', (socket) => socket.end('hello\r\n\r\n')],
  [
    'switches the protocol',
    (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  ],
  ['sends headers without an end', (socket) => socket.end(`HTTP/1.1 200 OK\r\na: ${'x'.repeat(100_000)}`)],
])('a receiver that %s gives no response', async (_title, respond) => {
  const port = await receiveRaw(respond);
  expect(await sendTo(`http://127.0.0.1:${port}/`)).toMatchObject({
    kind: 'noConnection',
    detail: expect.stringMatching(/^The connection failed/),
  });
});

test('nothing listens', async () => {
  const server = createTcpServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  expect(await sendTo(`http://127.0.0.1:${port}/`)).toEqual({
    kind: 'noConnection',
    detail: 'The connection failed (ECONNREFUSED).',
  });
});

test('of a response of 10 MB, at most a little more than 64 KiB is read', async () => {
  let written = 0;
  const port = await receive((_, response) => {
    const piece = Buffer.alloc(16 * 1024, 'x');
    const write = () => {
      while (written < 10_000_000 && !response.destroyed) {
        written += piece.length;
        if (!response.write(piece)) return void response.once('drain', write);
      }
      response.end();
    };
    write();
  });
  const outcome = await sendTo(`http://127.0.0.1:${port}/`, { maxRequestMs: 10_000 });
  expect(outcome).toEqual({
    kind: 'response',
    status: 200,
    bodyStart: 'x'.repeat(1_024),
    retryAfterSeconds: null,
  });
  // The rest is in the buffers of the connection.
  expect(written).toBeLessThan(9_000_000);
});

test('a response that breaks off has its status', async () => {
  const port = await receiveRaw((socket) => {
    socket.end('HTTP/1.1 500 Broken\r\nContent-Length: 100\r\n\r\nonly this');
  });
  expect(await sendTo(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 500, bodyStart: 'only this' });
});

test.each([
  ['120', 120],
  ['0', null],
  ['-5', null],
  ['soon', null],
  ['a date in an hour', 3_600],
  ['a date an hour ago', null],
])('Retry-After: %s', async (text, expected) => {
  const hours = text === 'a date in an hour' ? 1 : -1;
  const value = text.startsWith('a date') ? new Date(Date.now() + hours * 3_600_000).toUTCString() : text;
  const port = await receive((_, response) => response.writeHead(503, { 'Retry-After': value }).end());
  const outcome = await sendTo(`http://127.0.0.1:${port}/`);
  const seconds = outcome.kind === 'response' ? outcome.retryAfterSeconds : undefined;
  if (expected === null) expect(seconds).toBeNull();
  else expect(Math.abs((seconds ?? 0) - expected)).toBeLessThan(10);
});

const REFUSED = {
  kind: 'unreachableHost',
  detail: 'The host of the URL has no address that webhooks may be sent to.',
};

test('addresses of a private network are refused before a connection is made', async () => {
  let connections = 0;
  const port = await listen(
    createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    }),
  );
  const urls = ['127.0.0.1', '0x7f000001', '2130706433', '127.1', '[::ffff:127.0.0.1]', 'localhost'];
  for (const host of urls) {
    expect(await sendTo(`http://${host}:${port}/`, { allowedRanges: [] }), host).toEqual(REFUSED);
  }
  expect(connections).toBe(0);
});

test('a name with one address that is refused is refused', async () => {
  const resolve: Resolve = async () => [
    { address: '203.0.114.1', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ];
  expect(await sendTo('http://both.example/', { resolve, allowedRanges: [] })).toEqual(REFUSED);
});

test('a name that changes its address is checked for each request, and the checked address is connected to', async () => {
  let connections = 0;
  const port = await receive((_, response) => {
    connections += 1;
    response.end();
  });
  // As a DNS server does that gives an address on the internet to a check, and ours to the connection.
  const addresses = ['93.184.215.14', '127.0.0.1', '93.184.215.14', '127.0.0.1'];
  let queries = 0;
  const resolve: Resolve = async () => [{ address: addresses[queries++] ?? '127.0.0.1', family: 4 }];
  const sender = createWebhookSender({
    allowedRanges: [],
    isHttpAllowed: true,
    resolve,
    maxRequestMs: 300,
    unreachableAfterMs: 0,
  });
  const send = () => sender.send({ url: `http://changing.example:${port}/`, headers: {}, body: '{}' });
  // The first address is connected to, and not resolved again. It does not respond here.
  expect((await send()).kind).not.toBe('response');
  expect(queries).toBe(1);
  expect(await send()).toEqual(REFUSED);
  expect(queries).toBe(2);
  expect(connections).toBe(0);
});

test('a name without an address is refused as one that must not be reached, at the same time', async () => {
  const failWith =
    (code: string): Resolve =>
    async () => {
      throw Object.assign(new Error('query failed'), { code, syscall: 'queryA' });
    };
  const resolves: Resolve[] = [
    async () => [{ address: '10.0.0.1', family: 4 }],
    async () => [],
    failWith('ENOTFOUND'),
    failWith('ENODATA'),
    failWith('ESERVFAIL'),
    failWith('ETIMEOUT'),
  ];
  const unreachableAfterMs = 150;
  await Promise.all(
    resolves.map(async (resolve) => {
      const startMs = performance.now();
      expect(await sendTo('http://name.example/', { resolve, unreachableAfterMs })).toEqual(REFUSED);
      // A timer may fire a little early.
      expect(performance.now() - startMs).toBeGreaterThan(unreachableAfterMs - 2);
    }),
  );
});

test('http is for opened ranges only, if it is not allowed for all', async () => {
  const port = await receive((_, response) => response.end());
  const url = `http://127.0.0.1:${port}/`;
  expect(await sendTo(url, { isHttpAllowed: false })).toMatchObject({ status: 200 });
  const resolve: Resolve = async () => [{ address: '93.184.215.14', family: 4 }];
  expect(await sendTo('http://public.example/', { isHttpAllowed: false, resolve })).toEqual(REFUSED);
});

test('a certificate that is not trusted is refused, whatever the environment says', async () => {
  const server = createTlsServer(
    {
      key: readFileSync(join(CERTIFICATES, 'server.key')),
      cert: readFileSync(join(CERTIFICATES, 'server.pem')),
    },
    (_, response) => response.end(),
  );
  const port = await listen(server);
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  onTestFinished(() => {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
  });
  expect(await sendTo(`https://localhost:${port}/`, { maxRequestMs: 5_000 })).toMatchObject({
    kind: 'badCertificate',
    detail: expect.stringMatching(/^The TLS certificate is refused \([A-Z_]+\)\.$/),
  });
});

test('no proxy is used', async () => {
  let proxied = 0;
  const proxyPort = await listen(
    createTcpServer((socket) => {
      proxied += 1;
      socket.destroy();
    }),
  );
  const port = await receive((_, response) => response.end());
  const proxy = `http://127.0.0.1:${proxyPort}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
  for (const name of names) process.env[name] = proxy;
  process.env.NODE_USE_ENV_PROXY = '1';
  onTestFinished(() => {
    for (const name of [...names, 'NODE_USE_ENV_PROXY']) delete process.env[name];
  });
  expect(await sendTo(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
  expect(proxied).toBe(0);
});

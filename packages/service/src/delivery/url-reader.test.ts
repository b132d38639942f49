import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Resolve } from './guarded-lookup.ts';
import { createUrlReader } from './url-reader.ts';

/** Starts a server. Returns its port, and how many requests it has got. */
async function receive(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  let requests = 0;
  server.on('connection', () => {
    requests += 1;
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requestCount: () => requests };
}

const readOpened = createUrlReader({ allowedRanges: ['loopback'] });

test('reads the body of a URL', async () => {
  const { port } = await receive((_, response) => response.end('a list'));
  for (const host of ['127.0.0.1', 'localhost']) {
    const body = await readOpened(`http://${host}:${port}/list`, 6);
    expect(Buffer.from(body).toString()).toBe('a list');
  }
});

test('does not reach an address of our own network, in whatever form', async () => {
  const { port, requestCount } = await receive((_, response) => response.end('secret'));
  const resolve: Resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  const read = createUrlReader({ allowedRanges: [], resolve });
  for (const host of [
    '127.0.0.1',
    '0x7f000001',
    '127.1',
    '[::ffff:127.0.0.1]',
    'localhost',
    'inside.example',
  ]) {
    await expect(read(`http://${host}:${port}/`, 100), host).rejects.toThrow('not open to it');
  }
  expect(requestCount()).toBe(0);
});

test('does not follow a redirect', async () => {
  const { port, requestCount } = await receive((_, response) => {
    response.writeHead(302, { Location: '/elsewhere' }).end();
  });
  await expect(readOpened(`http://127.0.0.1:${port}/`, 100)).rejects.toThrow('the status is 302');
  expect(requestCount()).toBe(1);
});

test('follows as many redirects as it may, and checks each', async () => {
  const { port } = await receive((request, response) => {
    const count = Number(request.url?.slice(1));
    if (count === 0) response.end('here');
    else response.writeHead(302, { Location: `/${count - 1}` }).end();
  });
  const read = createUrlReader({ allowedRanges: ['loopback'], maxRedirects: 3 });
  expect(Buffer.from(await read(`http://127.0.0.1:${port}/3`, 100)).toString()).toBe('here');
  await expect(read(`http://127.0.0.1:${port}/4`, 100)).rejects.toThrow('the status is 302');
  const inside = await receive((_, response) => response.end('secret'));
  const outside = await receive((_, response) => {
    response.writeHead(301, { Location: `http://inside.example:${inside.port}/` }).end();
  });
  const resolve: Resolve = async (name) => [
    { address: name === 'outside.example' ? '127.0.0.1' : '127.0.0.2', family: 4 },
  ];
  const guarded = createUrlReader({ allowedRanges: ['127.0.0.1/32'], resolve, maxRedirects: 3 });
  await expect(guarded(`http://outside.example:${outside.port}/`, 100)).rejects.toThrow('not open to it');
  expect(inside.requestCount()).toBe(0);
});

test.each<[string, RequestListener, string]>([
  ['is too long', (_, response) => response.end('x'.repeat(101)), 'more than 100 bytes'],
  [
    'breaks off',
    (_, response) => response.writeHead(200, { 'Content-Length': 50 }).write('x', () => response.destroy()),
    '',
  ],
  ['does not exist', (_, response) => response.writeHead(404).end(), 'the status is 404'],
])('rejects if the body %s', async (_what, listener, message) => {
  const { port } = await receive(listener);
  await expect(readOpened(`http://127.0.0.1:${port}/`, 100)).rejects.toThrow(message);
});

test('rejects if the body does not come in time', async () => {
  const { port } = await receive((_, response) => response.write('x'));
  const read = createUrlReader({ allowedRanges: ['loopback'], maxRequestMs: 500 });
  await expect(read(`http://127.0.0.1:${port}/`, 100)).rejects.toThrow('more than 0.5 seconds');
});

test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'data:,x', 'x'])('%s is no URL to read', async (url) => {
  await expect(readOpened(url, 100)).rejects.toThrow('not an http or https URL');
});

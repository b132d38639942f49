import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import {
  createEndpoint,
  ENDPOINT_LIMITS,
  EndpointFailure,
  type EndpointLimits,
  ReadTimeout,
} from './endpoint.ts';

const SIGNAL = new AbortController().signal;
const REQUEST = { method: 'eth_chainId', params: [] };

async function startServer(
  respond: (response: ServerResponse, id: number, request: IncomingMessage) => unknown,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const { id } = JSON.parse(await text(request)) as { id: number };
    await respond(response, id, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function open(url: string, limits: Partial<EndpointLimits> = {}) {
  const endpoint = createEndpoint(url, { ...ENDPOINT_LIMITS, ...limits });
  onTestFinished(() => endpoint.close());
  return endpoint;
}

const reply = (response: ServerResponse, id: number, fields: object) =>
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...fields }));

test('the user and the password of a URL, its path and its query are sent', async () => {
  const seen: unknown[] = [];
  const url = new URL(
    await startServer((response, id, { headers, url: path }) => {
      seen.push(headers.authorization, path);
      return reply(response, id, { result: '0x1' });
    }),
  );
  url.username = 'me';
  url.password = 'a%3Ab';
  url.pathname = '/v2/key';
  url.search = '?token=1';
  expect(await open(url.href).send(REQUEST, SIGNAL)).toEqual({ kind: 'result', result: '0x1' });
  expect(seen).toEqual([`Basic ${btoa('me:a:b')}`, '/v2/key?token=1']);
});

test('a redirect is not followed', async () => {
  let requests = 0;
  const url = await startServer((response) => {
    requests += 1;
    response.writeHead(307, { Location: '/elsewhere' }).end();
  });
  await expect(open(url).send(REQUEST, SIGNAL)).rejects.toThrow('HTTP 307');
  expect(requests).toBe(1);
});

test('a long text counts up to the limit, whatever is behind it', async () => {
  const long = `0x${'1'.repeat(10_000)}`;
  const bodies = [
    { result: long },
    { error: { code: 3, message: 'execution reverted', data: long } },
    { error: { code: 3, message: `execution reverted: ${long}` } },
  ];
  for (const body of bodies) {
    const url = await startServer((response, id) => reply(response, id, body));
    const outcome = await open(url).send({ ...REQUEST, maxBytes: 500 }, SIGNAL);
    expect(outcome.kind).toBe('result' in body ? 'result' : 'error');
    expect(JSON.stringify(outcome).length).toBeLessThan(600);
  }
});

test.each([0, 1, 2, 3, 4, 5])(
  'a text can be cut inside an escape sequence, after %i characters',
  async (shift) => {
    const data = `${'x'.repeat(shift)}${'\u0001'.repeat(1_000)}`;
    const url = await startServer((response, id) =>
      reply(response, id, { error: { code: 3, message: 'execution reverted', data } }),
    );
    const outcome = await open(url).send({ ...REQUEST, maxBytes: 500 }, SIGNAL);
    expect(outcome).toMatchObject({ kind: 'error', code: 3 });
  },
);

test.each([
  [
    'a long list',
    (response: ServerResponse, id: number) => reply(response, id, { result: Array(1_000).fill(1) }),
  ],
  [
    'a long text before the id of another request',
    (response: ServerResponse) => reply(response, -1, { result: '1'.repeat(1_000) }),
  ],
])('%s is a failure', async (_, respond) => {
  const url = await startServer(respond);
  await expect(open(url).send({ ...REQUEST, maxBytes: 500 }, SIGNAL)).rejects.toBeInstanceOf(EndpointFailure);
});

test('a response is read only up to the limit', async () => {
  let sentBytes = 0;
  const url = await startServer((response) => {
    const write = () => {
      while (!response.destroyed && response.write('1'.repeat(65_536))) sentBytes += 65_536;
    };
    response.on('drain', write);
    write();
  });
  await expect(open(url, { responseBytes: 1_000 }).send(REQUEST, SIGNAL)).rejects.toThrow('too long');
  // What the buffers of both sockets hold.
  expect(sentBytes).toBeLessThan(32 * 1024 * 1024);
});

test('a request without a response in time is a failure', async () => {
  const url = await startServer(() => undefined);
  const startedAtMs = performance.now();
  await expect(open(url, { requestMs: 200 }).send(REQUEST, SIGNAL)).rejects.toThrow('in time');
  expect(performance.now() - startedAtMs).toBeGreaterThan(190);
});

test('a response that trickles is a failure too', async () => {
  const url = await startServer((response) => {
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  });
  await expect(open(url, { requestMs: 200 }).send(REQUEST, SIGNAL)).rejects.toThrow('in time');
});

test('only so many requests are sent at the same time', async () => {
  let active = 0;
  let most = 0;
  const url = await startServer(async (response, id) => {
    active += 1;
    most = Math.max(most, active);
    await new Promise((resolve) => setTimeout(resolve, 20));
    active -= 1;
    reply(response, id, { result: '0x1' });
  });
  const endpoint = open(url, { concurrency: 3 });
  await Promise.all(Array.from({ length: 30 }, () => endpoint.send(REQUEST, SIGNAL)));
  expect(most).toBe(3);
});

test('a request whose caller gives up before it has a connection is not sent', async () => {
  let requests = 0;
  const url = await startServer(() => {
    requests += 1;
  });
  const endpoint = open(url, { concurrency: 1, requestMs: 500 });
  const first = endpoint.send(REQUEST, SIGNAL).catch((error: unknown) => error);
  await expect(endpoint.send(REQUEST, AbortSignal.timeout(50))).rejects.toBeInstanceOf(ReadTimeout);
  expect(await first).toBeInstanceOf(EndpointFailure);
  expect(requests).toBe(1);
});

test('a connection that the server closes between two requests is replaced', async () => {
  const url = await startServer((response, id) => {
    reply(response, id, { result: '0x1' });
    response.socket?.end();
  });
  const endpoint = open(url, {});
  for (let count = 0; count < 20; count += 1) {
    expect(await endpoint.send(REQUEST, SIGNAL)).toEqual({ kind: 'result', result: '0x1' });
  }
});

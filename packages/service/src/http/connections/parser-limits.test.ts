import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createTestServer, startTestService, type TestService } from '../../testing/services.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ BADGE_ROLE: 'api' });
});
afterAll(async () => await service.stop());

/** Starts a server whose route `/blocked` never responds. */
async function startBlockedServer(): Promise<{ port: number; countRequests: () => number }> {
  const { server } = await createTestServer(service.context);
  let requests = 0;
  server.get('/blocked', async () => {
    requests += 1;
    await new Promise(() => undefined);
  });
  const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
  onTestFinished(async () => {
    server.server.closeAllConnections();
    await server.close();
  });
  return { port: Number(port), countRequests: () => requests };
}

test('a request with Expect: 100-continue gets a 100 before the response', async () => {
  const lines = [
    'POST /v1/tokens HTTP/1.1',
    'Host: localhost',
    `X-API-Key: ${service.apiKey}`,
    'Content-Type: application/json',
    'Content-Length: 2',
    'Expect: 100-continue',
    'Connection: close',
  ];
  const socket = connect(service.port ?? 0, '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n{}`);
  const responses = await text(socket);
  expect(responses).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /);
});

test('a connection with more than 10 requests in progress is closed, and at most 10 are handled', async () => {
  const { port, countRequests } = await startBlockedServer();
  const socket = connect(port, '127.0.0.1').resume();
  socket.on('error', () => undefined).write('GET /blocked HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1_500));
  await new Promise((resolve) => socket.once('close', resolve));
  expect(countRequests()).toBeGreaterThan(0);
  expect(countRequests()).toBeLessThanOrEqual(10);
});

test('connections are closed if the headers of all requests of their address exceed 16 MiB', async () => {
  const { port } = await startBlockedServer();
  const request = `GET /blocked HTTP/1.1\r\nHost: localhost\r\nCookie: ${'x'.repeat(15_000)}\r\n\r\n`;
  const open = () =>
    connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .resume();
  // The headers of the ten requests of a socket have 150 KB, so the headers of 111 sockets fit into 16 MiB.
  const sockets = Array.from({ length: 150 }, open);
  for (const socket of sockets) socket.write(request.repeat(10));
  await vi.waitFor(
    () => expect(sockets.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(20),
    WAIT_OPTIONS,
  );
  expect(sockets.filter(({ destroyed }) => destroyed).length).toBeLessThan(60);

  for (const socket of sockets) socket.destroy();
  await vi.waitFor(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`);
    expect(response.status).toBe(200);
  }, WAIT_OPTIONS);
});

test('when a connection is closed because of too many requests, these requests release their permits', async () => {
  const request = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
  for (let attempt = 0; attempt < 30; attempt += 1) {
    const socket = connect(service.port ?? 0, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.pause().write(request.repeat(1_500));
    await vi.waitFor(async () => {
      socket.write(request);
      expect(socket.destroyed).toBe(true);
    }, WAIT_OPTIONS);
  }
  // If requests of the closed connections still held permits, the share of the address would be used up.
  const responses = await Promise.all(
    Array.from({ length: 20 }, async () => (await service.call('/openapi.json')).text()),
  );
  expect(new Set(responses.map((document) => document.length)).size).toBe(1);
});

/** Opens a connection, and ignores what the server sends. `closed` resolves also if the connection breaks. */
async function openConnection(
  localAddress = '127.0.0.1',
  port = service.port ?? 0,
): Promise<{ socket: Socket; closed: Promise<unknown> }> {
  const socket = connect({ host: '127.0.0.1', port, localAddress }).resume();
  const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
  await once(socket, 'connect');
  return { socket, closed };
}

test.each(['GET /healthz', 'POST /nope', 'POST /v1/tokens'])(
  'a connection that sends the body of %s in very many small pieces is closed, and later bodies are read',
  async (requestLine) => {
    const { socket, closed } = await openConnection('127.0.0.2');
    socket.write(`${requestLine} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`);
    socket.write('1\r\n \r\n'.repeat(200_000));
    await closed;
    const responses = await Promise.all(
      Array.from(
        { length: 5 },
        async () => await service.call('/v1/tokens', { json: {}, key: service.apiKey }),
      ),
    );
    for (const response of responses) {
      expect(response.status).toBe(400);
      expect(await response.text()).toContain('/headline');
    }
  },
);

const CHUNKED_REQUEST = 'POST /nope HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';

/** Sends a body in pieces on the only connection from an address. Returns whether the next request gets a response. */
async function isServedAfterPieces({ pieceBytes = 1, count = 9_000 } = {}): Promise<boolean> {
  const { socket, closed } = await openConnection('127.0.0.3');
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  const piece = `${pieceBytes.toString(16)}\r\n${' '.repeat(pieceBytes)}\r\n`;
  socket.write(`${CHUNKED_REQUEST}${piece.repeat(count)}0\r\n\r\n`);
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  await closed;
  return received.includes('HTTP/1.1 200');
}

test('the small pieces of an address within a second are counted together, even if they arrive on successive connections', async () => {
  await vi.waitFor(async () => expect(await isServedAfterPieces()).toBe(true), WAIT_OPTIONS);
  let isServed = true;
  for (let connections = 1; isServed && connections < 100; connections += 1)
    isServed = await isServedAfterPieces();
  expect(isServed).toBe(false);
});

test('pieces of 300 bytes count as small', async () => {
  // The pieces are counted for a second. On a slow machine, a body can arrive so slowly that no second has too many pieces.
  // So the test sends up to three bodies, one after the other.
  // Together, they stay below the limit of bytes that arrive after a response.
  let isServed = true;
  for (let bodies = 0; isServed && bodies < 3; bodies += 1)
    isServed = await isServedAfterPieces({ pieceBytes: 300, count: 60_000 });
  expect(isServed).toBe(false);
});

test('small pieces are also limited on connections that are opened while others send CONNECT requests', async () => {
  for (let round = 0; round < 5; round += 1) {
    const connecting = await Promise.all(Array.from({ length: 10 }, () => openConnection()));
    for (const { socket } of connecting)
      socket.write('CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const sending = await Promise.all(
      Array.from({ length: 10 }, (_, index) => openConnection(`127.0.1.${1 + 10 * round + index}`)),
    );
    await Promise.all(connecting.map(({ closed }) => closed));
    for (const { socket } of sending) socket.write(CHUNKED_REQUEST + '1\r\n \r\n'.repeat(60_000));
    // A connection without the limit would stay open, and the test would time out.
    await Promise.all(sending.map(({ closed }) => closed));
  }
});

test('too many small pieces close the connections of their address, except those with a complete request in progress', async () => {
  const { port, countRequests } = await startBlockedServer();
  const open = () => openConnection('127.0.0.2', port);
  const responding = await open();
  responding.socket.write('GET /blocked HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const idle = await open();
  const ofAnotherAddress = await openConnection('127.0.0.1', port);
  const sending = await open();
  await vi.waitFor(() => expect(countRequests()).toBe(1), WAIT_OPTIONS);
  sending.socket.write(CHUNKED_REQUEST + '1\r\n \r\n'.repeat(60_000));
  await sending.closed;
  await idle.closed;
  expect(responding.socket.closed).toBe(false);
  expect(ofAnotherAddress.socket.closed).toBe(false);
});

test.each([
  [
    'an endless body after its response',
    'GET /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n',
    `10000\r\n${'x'.repeat(65_536)}\r\n`,
  ],
  ['endless empty lines', '', '\r\n'.repeat(32_768)],
])('a client that sends %s loses its connection', async (_what, head, repeated) => {
  const { socket, closed } = await openConnection('127.0.0.3');
  socket.write(head);
  for (let count = 0; !socket.closed && count < 100_000; count += 1) {
    if (!socket.write(repeated)) await Promise.race([once(socket, 'drain').catch(() => undefined), closed]);
  }
  expect(socket.closed).toBe(true);
});

test('after bytes that are not HTTP, no more is read, even while an earlier request is in progress', async () => {
  const { port, countRequests } = await startBlockedServer();
  const { socket } = await openConnection('127.0.0.2', port);
  socket.write('GET /blocked HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  await vi.waitFor(() => expect(countRequests()).toBe(1), WAIT_OPTIONS);
  let isSent = false;
  socket.write('x'.repeat(50_000_000), (error) => {
    isSent = !error;
  });
  // Reading all the bytes would take less time than these requests.
  for (let count = 0; count < 200; count += 1) await fetch(`http://127.0.0.1:${port}/healthz`);
  expect(isSent).toBe(false);
});

test('20 MiB that are sent with a wrong key are read, and get a 401', async () => {
  const response = await service.call('/v1/communities/demo/nftTypes', {
    method: 'POST',
    key: 'wrong',
    body: new Uint8Array(20 * 1024 * 1024),
  });
  expect(response.status).toBe(401);
});

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createProxyCheck } from './forwarded-for.ts';
import { takeTurns } from './take-turns.ts';

const BUSY = '127.0.0.3';
const OTHER = '127.0.0.2';
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

/**
 * Starts a server that is busy for 2 ms with each request, also with a refused one. `handled` and `paths` contain the
 * address and the path of each handled request, in the order of handling. `refused` contains the addresses of the refused
 * requests.
 */
async function start() {
  const beBusy = () => {
    const untilMs = performance.now() + 2;
    while (performance.now() < untilMs);
  };
  const handled: string[] = [];
  const refused: string[] = [];
  const paths: string[] = [];
  const handle: RequestListener = (request, response) => {
    const { socket, url = '' } = request;
    if (turns.isLate(request)) {
      refused.push(socket.remoteAddress ?? '');
      queueMicrotask(beBusy);
      response.end();
      return;
    }
    beBusy();
    handled.push(socket.remoteAddress ?? '');
    paths.push(url);
    response.end();
  };
  // No keep-alive timeout: on a busy machine, opening 800 connections takes longer than the default of 5 seconds.
  const server = createServer({ keepAliveTimeout: 0 }, handle);
  const turns = takeTurns(server, createProxyCheck([]));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  async function connectFrom(localAddress: string): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port, localAddress }).resume();
    await once(socket, 'connect');
    return socket;
  }
  async function open(localAddress: string): Promise<Socket> {
    const socket = await connectFrom(localAddress);
    // The response shows that the server has accepted the connection.
    socket.write(REQUEST);
    await once(socket, 'data');
    return socket;
  }
  return { server, turns, handled, refused, paths, connectFrom, open };
}

test('an address that sends many requests at once does not delay one request of another address', async () => {
  const { handled, open } = await start();
  const busy = await Promise.all(Array.from({ length: 100 }, () => open(BUSY)));
  const other = await open(OTHER);
  handled.length = 0;
  for (const socket of busy) socket.write(REQUEST);
  other.write(REQUEST);
  await once(other, 'data');
  expect(handled.indexOf(OTHER)).toBeLessThan(50);
});

test('every request is handled, and the requests of a connection are handled in their order', async () => {
  const { paths, open } = await start();
  const sockets = await Promise.all([BUSY, BUSY, OTHER].map((address) => open(address)));
  const ends = sockets.map((socket) => once(socket, 'close'));
  const lastRequest = REQUEST.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  const pathsOf = (index: number) => Array.from({ length: 20 }, (_, n) => `/${index}/${n}`);
  for (const [index, socket] of sockets.entries()) {
    const requests = pathsOf(index).map((path) => REQUEST.replace('/', path));
    socket.write(requests.join('') + lastRequest);
  }
  await Promise.all(ends);
  for (const index of sockets.keys()) {
    expect(paths.filter((path) => path.startsWith(`/${index}/`))).toEqual(pathsOf(index));
  }
});

test('a request whose connection is closed while it waits is not handled', async () => {
  const { handled, open } = await start();
  const busy = await Promise.all(Array.from({ length: 50 }, () => open(BUSY)));
  const leaving = await open(OTHER);
  handled.length = 0;
  for (const socket of busy) socket.write(REQUEST);
  leaving.write(REQUEST.repeat(50));
  leaving.resetAndDestroy();
  const responses = busy.map((socket) => once(socket, 'data'));
  await Promise.all(responses);
  expect(handled.filter((address) => address === OTHER).length).toBeLessThan(50);
});

test('an address that opens many connections does not delay the connection of another address', async () => {
  const { handled, connectFrom } = await start();
  const busy = await Promise.all(Array.from({ length: 300 }, () => connectFrom(BUSY)));
  const other = await connectFrom(OTHER);
  for (const socket of [...busy, other]) socket.write(REQUEST);
  await Promise.all([...busy, other].map((socket) => once(socket, 'data')));
  expect(handled.indexOf(OTHER)).toBeLessThan(150);
});

test('while connections are being accepted, a new one is not read before its turn', async () => {
  const { server, turns, handled, connectFrom } = await start();
  const accepted: Socket[] = [];
  let mostUnread = 0;
  server.on('connection', (socket) => {
    accepted.push(socket);
    const bytes = accepted.filter(turns.isUnread).map(({ bytesRead }) => bytesRead);
    mostUnread = Math.max(mostUnread, bytes.filter((read) => read === 0).length);
  });
  const sockets = await Promise.all(Array.from({ length: 300 }, () => connectFrom(BUSY)));
  for (const socket of sockets) socket.write(REQUEST);
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  expect(mostUnread).toBeGreaterThan(100);
  expect(handled).toHaveLength(300);
  expect(accepted.filter(turns.isUnread)).toEqual([]);
});

test('the request of a client that leaves before its connection is read is not handled', async () => {
  const { handled, connectFrom } = await start();
  const first = Array.from({ length: 50 }, () => connectFrom(BUSY));
  const leaving = Array.from({ length: 50 }, async () => {
    const socket = await connectFrom(OTHER);
    socket.write(REQUEST);
    socket.destroySoon();
  });
  const last = Array.from({ length: 50 }, () => connectFrom(BUSY));
  await Promise.all(leaving);
  for (const socket of await Promise.all([...first, ...last])) {
    socket.write(REQUEST);
    await once(socket, 'data');
  }
  expect(handled.filter((address) => address === OTHER)).toEqual([]);
});

test('in an overload, requests that have waited for 500 ms are refused, except those of an address with few requests', async () => {
  const { refused, handled, open } = await start();
  const busy = await Promise.all(Array.from({ length: 800 }, () => open(BUSY)));
  const few = await Promise.all(Array.from({ length: 5 }, () => open(OTHER)));
  handled.length = 0;
  refused.length = 0;
  let refusedBefore = 0;
  let mostRefusedInIteration = 0;
  function countRefused(): void {
    mostRefusedInIteration = Math.max(mostRefusedInIteration, refused.length - refusedBefore);
    refusedBefore = refused.length;
    if (handled.length + refused.length < 805) setImmediate(countRefused);
  }
  setImmediate(countRefused);
  for (const socket of [...busy, ...few]) socket.write(REQUEST);
  await Promise.all([...busy, ...few].map((socket) => once(socket, 'data')));
  expect(refused.length).toBeGreaterThan(0);
  // At most three requests of 2 ms start within 5 ms.
  expect(mostRefusedInIteration).toBeLessThan(10);
  expect(refused).not.toContain(OTHER);
  expect(handled.length).toBeGreaterThan(500);
  expect(handled.filter((address) => address === OTHER)).toHaveLength(5);
  expect(handled.length + refused.length).toBe(805);
});

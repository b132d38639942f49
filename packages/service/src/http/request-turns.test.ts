import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { stateOf } from './request-state.ts';
import { createTurns } from './request-turns.ts';

const BUSY = '127.0.0.3';
const OTHER = '127.0.0.2';
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

/**
 * Starts a server that is busy for 2 ms with each request, also with a late one. `handled` and `late` contain the
 * addresses of the requests, in the order of handling.
 */
async function start() {
  const handled: string[] = [];
  const late: string[] = [];
  // No keep-alive timeout: on a busy machine, opening 800 connections takes longer than the default.
  const app = fastify({ keepAliveTimeout: 0 });
  app.addHook('onRequest', createTurns(app.server));
  app.get('/', (request, reply) => {
    const untilMs = performance.now() + 2;
    while (performance.now() < untilMs);
    (stateOf(request).isLate ? late : handled).push(request.ip);
    reply.send('ok');
  });
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  onTestFinished(async () => {
    app.server.closeAllConnections();
    await app.close();
  });
  async function open(localAddress: string): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress }).resume();
    await once(socket, 'connect');
    // The response shows that the server has accepted the connection.
    socket.write(REQUEST);
    await once(socket, 'data');
    return socket;
  }
  async function openAll(address: string, count: number): Promise<Socket[]> {
    const sockets = await Promise.all(Array.from({ length: count }, () => open(address)));
    handled.length = 0;
    late.length = 0;
    return sockets;
  }
  return { handled, late, openAll };
}

test('an address that sends many requests at once does not delay one request of another address', async () => {
  const { handled, openAll } = await start();
  const busy = await openAll(BUSY, 100);
  const [other] = await openAll(OTHER, 1);
  for (const socket of [...busy, other]) socket?.write(REQUEST);
  await Promise.all(busy.map((socket) => once(socket, 'data')));
  expect(handled.indexOf(OTHER)).toBeLessThan(50);
  expect(handled).toHaveLength(101);
});

test('a request whose connection is closed while it waits is not handled', async () => {
  const { handled, openAll } = await start();
  const leaving = await openAll(OTHER, 50);
  const busy = await openAll(BUSY, 50);
  for (const socket of [...busy, ...leaving]) socket.write(REQUEST);
  for (const socket of leaving) socket.resetAndDestroy();
  await Promise.all(busy.map((socket) => once(socket, 'data')));
  expect(handled.filter((address) => address === OTHER).length).toBeLessThan(50);
});

test('in an overload, requests that have waited for 500 ms are late, except those of an address with few requests', {
  tags: ['slow'],
}, async () => {
  const { handled, late, openAll } = await start();
  const busy = await openAll(BUSY, 800);
  const few = await openAll(OTHER, 5);
  for (const socket of [...busy, ...few]) socket.write(REQUEST);
  await Promise.all([...busy, ...few].map((socket) => once(socket, 'data')));
  expect(late.length).toBeGreaterThan(0);
  expect(late).not.toContain(OTHER);
  expect(handled.length).toBeGreaterThan(500);
  expect(handled.filter((address) => address === OTHER)).toHaveLength(5);
  expect(handled.length + late.length).toBe(805);
});

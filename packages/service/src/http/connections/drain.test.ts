import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { fastify } from 'fastify';
import { expect, test, vi } from 'vitest';
import { addDraining } from './drain.ts';
import { trackConnections } from './open-connections.ts';
import { takeTurns } from './take-turns.ts';

// Much more than the socket buffers at both ends can hold.
const RESPONSE_BYTES = 64 * 1024 * 1024;
const REQUEST = 'GET / HTTP/1.1\r\nHost: badge\r\n\r\n';

/** Starts an app that is busy for `busyMs` with each request, and has one route. */
async function start(body: string, busyMs: number) {
  const app = fastify({ return503OnClosing: false });
  const isTrustedProxy = () => false;
  const turns = takeTurns(app.server, isTrustedProxy);
  addDraining(app, trackConnections(app.server, isTrustedProxy), turns);
  app.get('/', () => {
    const untilMs = performance.now() + busyMs;
    while (performance.now() < untilMs);
    return body;
  });
  const { hostname, port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const open = () => connect(Number(port), hostname);
  return { app, turns, open };
}

test('closing the server does not cut off a response that a slow client is still reading', async () => {
  const { app, open } = await start('x'.repeat(RESPONSE_BYTES), 0);
  const socket = open();
  socket.write(REQUEST);
  await once(socket, 'readable');

  let isClosed = false;
  const closed = app.close().then(() => {
    isClosed = true;
  });
  // When the server refuses connections, it has closed the idle ones.
  let isListening: boolean;
  do {
    const probe = open();
    isListening = await once(probe, 'connect').then(
      () => true,
      () => false,
    );
    probe.destroy();
  } while (isListening);
  expect(isClosed).toBe(false);
  let readBytes = 0;
  for await (const chunk of socket) readBytes += (chunk as Buffer).length;
  expect(readBytes).toBeGreaterThan(RESPONSE_BYTES);
  await closed;
});

test('closing the server does not lose a request on a connection that waits for its turn', async () => {
  // The requests take much longer than the grace period of a stop.
  const { app, turns, open } = await start('ok', 4);
  const accepted: Socket[] = [];
  app.server.on('connection', (socket) => accepted.push(socket));
  const sockets = Array.from({ length: 400 }, open);
  const responses = sockets.map((socket) => {
    socket.write(REQUEST);
    return text(socket);
  });
  await vi.waitFor(() => expect(accepted).toHaveLength(sockets.length), { timeout: 60_000, interval: 1 });
  expect(accepted.filter(turns.isUnread).length).toBeGreaterThan(200);
  await app.close();
  for (const response of await Promise.all(responses)) expect(response).toMatch(/^HTTP\/1.1 200 /);
});

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { addDraining } from './drain.ts';
import { trackConnections } from './open-connections.ts';
import { takeTurns } from './take-turns.ts';

// Much more than the socket buffers at both ends can hold.
const RESPONSE_BYTES = 64 * 1024 * 1024;
const REQUEST = 'GET / HTTP/1.1\r\nHost: badge\r\n\r\n';

/** Starts an app with one route, which returns `body`. */
async function start(body: string) {
  const app = fastify({ return503OnClosing: false });
  const isTrustedProxy = () => false;
  const turns = takeTurns(app.server, isTrustedProxy);
  addDraining(app, trackConnections(app.server, isTrustedProxy), turns);
  app.get('/', () => body);
  const { hostname, port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const open = () => connect(Number(port), hostname);
  return { app, turns, open };
}

test('closing the server does not cut off a response that a slow client is still reading', async () => {
  const { app, open } = await start('x'.repeat(RESPONSE_BYTES));
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

test('a connection that waits for its turn to be read is not closed as an idle one', async () => {
  const { app, turns, open } = await start('ok');
  onTestFinished(() => app.close());
  const accepted: Socket[] = [];
  let unreadCount = 0;
  app.server.on('connection', (socket) => {
    accepted.push(socket);
    if (accepted.length !== 100) return;
    unreadCount = accepted.filter(turns.isUnread).length;
    app.server.closeIdleConnections();
  });
  const responses = Array.from({ length: 300 }, async () => {
    const socket = open();
    socket.write(REQUEST);
    const response = String(await once(socket, 'data'));
    socket.destroy();
    return response;
  });
  for (const response of await Promise.all(responses)) expect(response).toMatch(/^HTTP\/1.1 200 /);
  expect(unreadCount).toBeGreaterThan(10);
});

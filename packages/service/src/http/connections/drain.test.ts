import { once } from 'node:events';
import { connect } from 'node:net';
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { addDraining } from './drain.ts';
import { trackConnections } from './open-connections.ts';

// Much more than the socket buffers at both ends can hold.
const RESPONSE_BYTES = 64 * 1024 * 1024;

test('closing the server does not cut off a response that a slow client is still reading', async () => {
  const app = fastify({ return503OnClosing: false });
  addDraining(
    app,
    trackConnections(app.server, () => false),
  );
  app.get('/', () => 'x'.repeat(RESPONSE_BYTES));
  const { hostname, port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const open = () => connect(Number(port), hostname);
  const socket = open();
  socket.write('GET / HTTP/1.1\r\nHost: badge\r\n\r\n');
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

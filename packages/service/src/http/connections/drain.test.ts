import { once } from 'node:events';
import { connect } from 'node:net';
import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { addDraining } from './drain.ts';

// Far more than the kernel's buffers of both ends hold.
const ANSWER_BYTES = 64 * 1024 * 1024;

test('an answer that a slow client has not read yet is not cut by the close', async () => {
  const app = fastify({ return503OnClosing: false });
  addDraining(app);
  app.get('/', () => 'x'.repeat(ANSWER_BYTES));
  const { hostname, port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const open = () => connect(Number(port), hostname);
  const socket = open();
  socket.write('GET / HTTP/1.1\r\nHost: badge\r\n\r\n');
  await once(socket, 'readable');

  let isClosed = false;
  const closed = app.close().then(() => {
    isClosed = true;
  });
  // Once it refuses connections, what was idle is closed.
  for (let isListening = true; isListening; ) {
    const probe = open();
    isListening = await once(probe, 'connect').then(
      () => true,
      () => false,
    );
    probe.destroy();
  }
  expect(isClosed).toBe(false);
  let readBytes = 0;
  for await (const chunk of socket) readBytes += (chunk as Buffer).length;
  expect(readBytes).toBeGreaterThan(ANSWER_BYTES);
  await closed;
});

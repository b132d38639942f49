import { once } from 'node:events';
import { connect } from 'node:net';
import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { clientSignal } from './client-signal.ts';

test('the signal is aborted from the start if the client has already closed the connection', async () => {
  const app = fastify();
  onTestFinished(() => app.close());
  const signal = new Promise<AbortSignal>((resolve) => {
    app.get('/', async (request, reply) => {
      socket.destroy();
      await once(request.raw.socket, 'close');
      resolve(clientSignal(reply));
      return null;
    });
  });
  const { hostname, port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const socket = connect(Number(port), hostname);
  socket.write('GET / HTTP/1.1\r\nHost: badge\r\n\r\n');
  expect((await signal).aborted).toBe(true);
});

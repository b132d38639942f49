import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createTestMetrics } from '../../testing/services.ts';
import { addResources } from '../shares/resources.ts';
import { addReaders } from './reader.ts';

test('a result is not processed if the client has left during the query', async () => {
  const app = fastify();
  addResources(app, createTestMetrics());
  addReaders(app, { readPieceMs: 10_000 });
  const queryStarted = Promise.withResolvers<void>();
  let outcome: Promise<unknown> = Promise.resolve();
  app.get('/', async (request, reply) => {
    const reader = await app.openReader(request, reply);
    outcome = reader.read(1, async () => {
      queryStarted.resolve();
      await once(request.raw.socket, 'close');
      return 'result';
    });
    return await outcome;
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());

  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').end('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await queryStarted.promise;
  socket.destroy();
  await expect(outcome).rejects.toMatchObject({ errorName: 'RequestTimeout' });
});

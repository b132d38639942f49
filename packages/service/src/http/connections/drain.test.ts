import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fastify } from 'fastify';
import { expect, test, vi } from 'vitest';
import type { Context } from '../../context.ts';
import { createTestMetrics } from '../../testing/services.ts';
import { DRAIN_LIMITS, SERVER_LIMITS } from '../limits.ts';
import { type Connections, trackConnections } from './connections.ts';
import { createDraining } from './drain.ts';

// Much more than the socket buffers at both ends can hold.
const RESPONSE_BYTES = 64 * 1024 * 1024;
const REQUEST = 'GET / HTTP/1.1\r\nHost: badge\r\n\r\n';

/** Starts an app with one route, which returns `body`. */
async function start(body: string) {
  const app = fastify({ return503OnClosing: false });
  const log = app.log as Context['log'];
  const connections: Connections = new Map();
  trackConnections(app.server, connections, {
    log,
    metrics: createTestMetrics(),
    isTrustedProxy: () => false,
    limits: SERVER_LIMITS,
  });
  const { addCloseHeader, drain } = createDraining(app.server, connections, log);
  app.addHook('onSend', async (request, reply) => addCloseHeader(request, reply));
  app.addHook('preClose', drain);
  app.get('/', () => body);
  const { hostname, port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const open = () => connect(Number(port), hostname);
  return { app, open };
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

test('a new connection is not closed as an idle one until it has had time to send its request', async () => {
  const { app, open } = await start('ok');
  const client = open();
  const [socket] = (await once(app.server, 'connection')) as [Socket];
  app.server.closeIdleConnections();
  expect(socket.destroyed).toBe(false);
  const nowMs = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(nowMs + DRAIN_LIMITS.maxFirstRequestMs);
  app.server.closeIdleConnections();
  vi.restoreAllMocks();
  expect(socket.destroyed).toBe(true);
  client.destroy();
  await app.close();
});

import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setInterval as every } from 'node:timers/promises';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { ServerLimits } from '../http/limits.ts';
import { createTestServer, startTestService, type TestService } from './services.ts';

/** Sends byte by byte until the socket is closed. */
export async function drip(socket: Socket): Promise<void> {
  for await (const _ of every(20)) {
    if (socket.destroyed || socket.writableEnded) return;
    socket.write('x');
  }
}

/**
 * Starts a service before the tests, and stops it after. Returns a function that starts servers with short
 * limits.
 */
export function connectionLimitsFixture() {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ BADGE_ROLE: 'api' });
  });
  afterAll(async () => await service.stop());

  /** Starts a server with limits that are short enough for a test. */
  async function start(limits: Partial<ServerLimits>, trustProxy: string[] = []) {
    const { server, metrics } = await createTestServer(service.context, {
      serverLimits: { checkMs: 50, ...limits },
      trustProxy,
    });
    let requests = 0;
    server.addHook('onRequest', async () => {
      requests += 1;
    });
    // Reads no body, and never responds.
    server.get('/waiting', { schema: { hide: true } }, async () => await new Promise(() => undefined));
    await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    onTestFinished(async () => {
      server.server.closeAllConnections();
      await server.close();
    });
    const countConnections = () =>
      new Promise<number>((resolve) => server.server.getConnections((_error, count) => resolve(count)));
    const open = async (localAddress = '127.0.0.1') => {
      const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      return socket;
    };
    const isHealthy = async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok;
    return { metrics, open, countConnections, isHealthy, countRequests: () => requests };
  }

  return {
    get service() {
      return service;
    },
    start,
  };
}

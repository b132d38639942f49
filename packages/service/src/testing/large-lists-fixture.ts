import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Token } from '@badge/protocol';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { ServerLimits } from '../http/limits.ts';
import type { ResourceLimits } from '../http/shares/resources.ts';
import { insertDemoTokens } from './insert-demo-tokens.ts';
import { createTestServer, startTestService, type TestService } from './services.ts';

const LARGE_TOKEN_COUNT = 12;
const SMALL_TOKEN_COUNT = 120;
export const TOKEN_COUNT = LARGE_TOKEN_COUNT + SMALL_TOKEN_COUNT;
export const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Requests a page of all tokens, and reads nothing of the response. */
export async function requestWithoutReading(port: number, address = '127.0.0.1'): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket
    .pause()
    .write(`GET /v1/tokens?limit=1000 HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`);
  return socket;
}

/** Starts a service with small and large tokens before the tests, and stops it after. */
export function largeListsFixture() {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ BADGE_ROLE: 'api' });
    // The tokens 61 to 72 are large.
    await insertDemoTokens(service.databaseUrl, SMALL_TOKEN_COUNT / 2, 'small');
    await insertDemoTokens(service.databaseUrl, LARGE_TOKEN_COUNT, 'large');
    await insertDemoTokens(service.databaseUrl, SMALL_TOKEN_COUNT / 2, 'small');
  });
  afterAll(() => service.stop());

  /**
   * Starts a second server of the same service, with other limits. `seen` counts its requests and contains
   * its errors.
   */
  async function startServer(resourceLimits: ResourceLimits, serverLimits: Partial<ServerLimits> = {}) {
    const { server } = await createTestServer(service.context, { serverLimits, resourceLimits });
    const seen = { requests: 0, errors: [] as unknown[] };
    server.addHook('onRequest', async () => {
      seen.requests += 1;
    });
    server.addHook('onError', async (_request, _reply, error) => {
      seen.errors.push(error);
    });
    await server.listen({ host: '127.0.0.1', port: 0 });
    onTestFinished(async () => {
      server.server.closeAllConnections();
      await server.close();
    });
    const { port } = server.server.address() as AddressInfo;
    const countConnections = () =>
      new Promise<number>((resolve) => server.server.getConnections((_error, count) => resolve(count)));
    return { port, countConnections, seen };
  }

  async function expectTokens(path: string, expected: number[]): Promise<void> {
    const response = await service.call(path);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { limit, offset, data } = (await response.json()) as {
      limit: number;
      offset: number;
      data: Token[];
    };
    const { searchParams } = new URL(path, service.url);
    expect({ limit, offset }).toEqual({
      limit: Number(searchParams.get('limit')),
      offset: Number(searchParams.get('offset')),
    });
    expect(data.map(({ tokenId }) => tokenId)).toEqual(expected);
    for (const { tokenId, customAttributes } of data) {
      const isLarge = tokenId > SMALL_TOKEN_COUNT / 2 && tokenId <= SMALL_TOKEN_COUNT / 2 + LARGE_TOKEN_COUNT;
      expect(customAttributes).toHaveLength(isLarge ? 50 : 1);
    }
  }

  return {
    get service() {
      return service;
    },
    startServer,
    expectTokens,
  };
}

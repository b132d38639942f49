import type { HTTPMethods } from 'fastify';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Server } from '../http/server.ts';
import { createTestServer, startTestService, type TestService } from './services.ts';

export type Headers = Record<string, unknown>;

export function expectSecurityHeaders(headers: Headers, title: string, { mayBeFramed = false } = {}): void {
  const policy = mayBeFramed
    ? /^default-src 'none'; frame-ancestors \*;/
    : /^default-src 'none'; (frame-ancestors 'none'|sandbox)/;
  expect(headers, title).toMatchObject({
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringMatching(policy),
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': expect.stringMatching(/^(same-origin|cross-origin)$/),
    'x-request-id': expect.stringMatching(/./),
  });
  expect(headers, title).not.toHaveProperty('x-powered-by');
}

/** Starts a server before the tests, and closes it after. Returns its routes and calls of them. */
export function responseHeadersFixture() {
  let service: TestService;
  let server: Server;
  beforeAll(async () => {
    service = await startTestService({ BADGE_ROLE: 'api' });
    ({ server } = await createTestServer(service.context));
    await server.ready();
  });
  afterAll(async () => {
    await server.close();
    await service.stop();
  });

  /** Returns the routes of the router. Parses the tree of `printRoutes`: a node is a part of a path. */
  function listRoutes(): { method: HTTPMethods; path: string }[] {
    const parents: string[] = [];
    return server
      .printRoutes({ commonPrefix: false })
      .split('\n')
      .flatMap((line) => {
        const [, indent = '', part = '', methods = ''] = /^([│├└─ ]+)(\S+) \((.*)\)$/.exec(line) ?? [];
        const depth = indent.length / 4;
        parents.splice(Math.max(depth - 1, 0), Number.POSITIVE_INFINITY, part);
        const path = parents.join('');
        const names = methods === '' ? [] : methods.split(', ');
        return names.map((name) => ({ method: name as HTTPMethods, path }));
      });
  }

  function call({ method, path }: { method: HTTPMethods; path: string }, key?: string) {
    const url = path
      .replace('*', '/nothing')
      .replaceAll(/:communityId/g, 'demo')
      .replaceAll(/:\w+/g, '1');
    const headers = key === undefined ? {} : { 'x-api-key': key };
    return server.inject({ method: method as 'GET', url, headers });
  }

  return {
    get service() {
      return service;
    },
    get server() {
      return server;
    },
    listRoutes,
    call,
  };
}

import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../domain/refusal.ts';

// Under /v1, cors.ts responds to OPTIONS. On other paths, OPTIONS gets 404. A CONNECT request has no path.
const METHODS_WITH_405 = METHODS.filter((method) => !['OPTIONS', 'CONNECT'].includes(method));

/** Registers the methods that Fastify does not know, so that on a known path they get 405, not 404. */
export function addUnusualMethods(app: FastifyInstance): void {
  for (const method of METHODS_WITH_405) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
}

/**
 * Records the methods of the routes that are added after this call. When all routes are added, call the returned
 * function: for each path, it adds routes that reject the other methods with 405.
 */
export function recordRouteMethods(app: FastifyInstance): () => void {
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ routePath, method, prefix }) => {
    // The hook also runs for routes of nested Fastify instances. Those with a prefix of their own record their methods
    // themselves.
    if (prefix !== app.prefix) return;
    const methods = methodsByPath.get(routePath) ?? new Set();
    methodsByPath.set(routePath, methods);
    for (const name of [method].flat()) methods.add(name);
  });
  return () => {
    // The hook above also records the routes that this loop adds, so the loop uses a copy.
    for (const [url, methods] of [...methodsByPath]) {
      const allow = [...methods].join(', ');
      app.route({
        url,
        method: METHODS_WITH_405.filter((name) => !methods.has(name)),
        schema: { hide: true },
        config: { access: 'public' },
        onRequest: async (request, reply) => {
          reply.header('Allow', allow);
          throw new Refusal(
            'MethodNotAllowed',
            `${request.method} is not allowed for this path. Allowed: ${allow}.`,
          );
        },
        handler: () => undefined,
      });
    }
  };
}

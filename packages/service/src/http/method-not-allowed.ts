import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../domain/refusal.ts';

// CORS handles OPTIONS, and CONNECT has no path.
const OTHER_METHODS = METHODS.filter((method) => !['OPTIONS', 'CONNECT'].includes(method));

/** Registers every method that Node can parse, so that an unusual method on a known path gets 405, not 404. */
export function addUnusualMethods(app: FastifyInstance): void {
  for (const method of OTHER_METHODS) {
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
    // The hook also runs for the routes of nested instances, which record their own.
    if (prefix !== app.prefix) return;
    const methods = methodsByPath.get(routePath) ?? new Set();
    methodsByPath.set(routePath, methods);
    for (const name of [method].flat()) methods.add(name);
  });
  return () => {
    for (const [url, methods] of [...methodsByPath]) {
      if (url.includes('*')) continue;
      const allow = [...methods].join(', ');
      app.route({
        url,
        method: OTHER_METHODS.filter((name) => !methods.has(name)),
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

import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../domain/refusal.ts';

// Preflights have an answer of their own, and a CONNECT is for no path.
const OTHER_METHODS = METHODS.filter((method) => !['OPTIONS', 'CONNECT'].includes(method));

/** Makes the router know every method that Node can read, so that each finds the path that it was sent to. */
export function addUnusualMethods(app: FastifyInstance): void {
  for (const method of OTHER_METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
}

/** Notes the routes that an instance gets from now on; the returned function answers 405 for their other methods. */
export function noteMethods(app: FastifyInstance): () => void {
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ routePath, method, prefix }) => {
    // The hook is called for the routes of nested instances too, which note their own.
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
          throw new Refusal('MethodNotAllowed', `This path has no ${request.method}; it has ${allow}.`);
        },
        handler: () => undefined,
      });
    }
  };
}

import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import createRouter from 'find-my-way';
import { Refusal } from '../domain/refusal.ts';
import type { ServerLimits } from './limits.ts';

/** The path of one or more routes. */
interface KnownPath {
  pattern: string;
  methods: Set<string>;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Finds the path of a request whose method has no route there. */
    findKnownPath(request: FastifyRequest): KnownPath | null;
  }
}

/** Registers the methods that Fastify does not know. Otherwise it would respond to them before any hook. */
export function addUnusualMethods(app: FastifyInstance): void {
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
}

/**
 * Records the paths of the routes that are added after this call. A router of its own finds them: a route in
 * Fastify for each of the other 30 methods of each path would take as long as the rest of the start.
 */
export function recordPaths(app: FastifyInstance, { parameterCharacters }: ServerLimits): void {
  const router = createRouter({ ignoreTrailingSlash: true, maxParamLength: parameterCharacters });
  const paths = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.isMethodRejected) return;
    const methods = [method].flat().filter((name) => !isPreflight(name));
    if (methods.length === 0) return;
    let path = paths.get(url);
    if (path === undefined) {
      path = { pattern: url, methods: new Set() };
      paths.set(url, path);
      router.on('GET', url, () => undefined, path);
    }
    for (const name of methods) path.methods.add(name);
  });
  app.decorate('findKnownPath', (request) => {
    const hasRoute = !request.is404 && !request.routeOptions.config.isMethodRejected;
    if (hasRoute || isPreflight(request.method)) return null;
    return (router.find('GET', request.raw.url ?? '')?.store ?? null) as KnownPath | null;
  });
}

// Under /v1, cors.ts responds to OPTIONS. On other paths, OPTIONS gets 404.
const isPreflight = (method: string) => method === 'OPTIONS';

/** Whether no route has the path of a request, with any method. */
export function hasUnknownPath(request: FastifyRequest): boolean {
  return request.is404 && request.server.findKnownPath(request) === null;
}

/** Rejects a request whose path has routes for other methods only. */
export function rejectOtherMethods(request: FastifyRequest, reply: FastifyReply): void {
  const path = request.server.findKnownPath(request);
  if (path === null) return;
  const allow = [...path.methods].join(', ');
  reply.header('Allow', allow);
  throw new Refusal('MethodNotAllowed', `${request.method} is not allowed for this path. Allowed: ${allow}.`);
}

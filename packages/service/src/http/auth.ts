import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { authenticate, type PresentedKey } from '../domain/api-keys/authenticate.ts';
import type { Caller } from '../domain/caller.ts';
import { invalidRequest, Refusal } from '../domain/refusal.ts';
import { countHeader } from './connections/request-smuggling.ts';

/**
 * Who may call a route: anybody (`public`, a key sent there is ignored), whoever has a community's or the
 * operator's key (`community`), the operator alone, or anybody, a key being checked if one is sent (`optional`).
 */
export type Access = 'public' | 'community' | 'operator' | 'optional';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** On an `optional` route: whether this request needs a key, sent or not; a key sent with another is ignored. */
    isKeyNeeded?: (request: FastifyRequest) => boolean;
  }
}

const callers = new WeakMap<FastifyRequest, Caller>();

/** Checks the key before the body is read. Every route states its access. */
export function addAuthentication(app: FastifyInstance, context: Context): void {
  app.addHook('onRequest', async (request, reply) => {
    const { access, isKeyNeeded = hasKey } = request.routeOptions.config;
    if (access === undefined || access === 'public') return;
    if (access === 'optional' && !isKeyNeeded(request)) return;
    const caller = await authenticate(context, readKey(request));
    callers.set(request, caller);
    if (access === 'operator' && caller.kind !== 'operator') {
      throw new Refusal('ApiKeyNotAllowed', "This call needs the operator's key.");
    }
    reply.header('Cache-Control', 'no-store');
  });
}

/** Who called a route that needs a key. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error('the route does not ask for a key');
  return caller;
}

/** Who called a route whose key is optional. */
export function optionalCallerOf(request: FastifyRequest): Caller | null {
  return callers.get(request) ?? null;
}

/** The id of the community's key that was sent and is known: what the log may tell of it. */
export function apiKeyIdOf(request: FastifyRequest): string | undefined {
  const caller = callers.get(request);
  return caller?.kind === 'community' ? caller.apiKeyId : undefined;
}

/** Whether a key is sent, a right one or not. */
export function hasKey({ headers }: FastifyRequest): boolean {
  return Boolean(headers.authorization || headers['x-api-key']);
}

/** Reads the key in any of its three forms. */
export function readKey(request: FastifyRequest): PresentedKey {
  const { authorization, 'x-api-key': header } = request.headers;
  // Of two Authorization headers Node would drop the second, which a proxy may have looked at.
  if (countHeader(request, 'authorization') + countHeader(request, 'x-api-key') > 1) {
    throw invalidRequest([
      { parameter: 'Authorization', detail: 'is sent twice or beside X-API-Key: send one key' },
    ]);
  }
  if (typeof header === 'string' && header !== '') return { key: header };
  const [, scheme, credentials] = /^(Bearer|Basic) +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (scheme === undefined || credentials === undefined) {
    throw new Refusal(
      authorization ? 'InvalidApiKey' : 'ApiKeyRequired',
      'Send an API key as "Authorization: Bearer KEY", "X-API-Key: KEY" or HTTP Basic with communityId:KEY.',
    );
  }
  if (scheme.toLowerCase() === 'bearer') return { key: credentials };
  const [communityId = '', ...key] = Buffer.from(credentials, 'base64').toString('utf8').split(':');
  return { key: key.join(':'), communityId };
}

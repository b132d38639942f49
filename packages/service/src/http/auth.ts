import type { FastifyRequest } from 'fastify';
import type { PresentedKey } from '../domain/api-keys/authenticate.ts';
import { isSessionToken } from '../domain/api-keys/rules.ts';
import type { Caller } from '../domain/caller.ts';
import { invalidRequest, Refusal } from '../domain/refusal.ts';
import { countHeader } from './connections/proxy-headers.ts';
import { stateOf } from './request-state.ts';

/**
 * Whether a request needs a right key: that of an API key or of a session. On other requests, a key is
 * ignored.
 */
export function isKeyChecked(request: FastifyRequest): boolean {
  const { access = 'public', isKeyNeeded = hasKey } = request.routeOptions.config;
  return access !== 'public' && (access !== 'optional' || isKeyNeeded(request));
}

/**
 * Rejects all other callers on the operator's routes and on those of sessions. Runs after the rate limiter
 * has counted the request.
 */
export function checkCallerKind(request: FastifyRequest): void {
  const { access } = request.routeOptions.config;
  if (access !== 'operator' && access !== 'session') return;
  const { kind } = callerOf(request);
  if (kind === access || (kind === 'emailSession' && access === 'session')) return;
  throw new Refusal(
    'ApiKeyNotAllowed',
    access === 'operator'
      ? "This endpoint requires the operator's key."
      : 'This endpoint requires a session.',
  );
}

/** Returns the caller of a request to a route that requires a key. */
export function callerOf(request: FastifyRequest): Caller {
  const { caller } = stateOf(request);
  if (caller === null) throw new Error('the route does not require a key');
  return caller;
}

/** Returns the session of a request to a route that requires one. */
export function sessionOf(request: FastifyRequest): Extract<Caller, { kind: 'session' | 'emailSession' }> {
  const caller = callerOf(request);
  if (caller.kind !== 'session' && caller.kind !== 'emailSession') {
    throw new Error('the route does not require a session');
  }
  return caller;
}

/** Returns the caller of a request, or null if its key was not checked. */
export function optionalCallerOf(request: FastifyRequest): Caller | null {
  return stateOf(request).caller;
}

/**
 * Returns the id of the community's key, for the log. Undefined for the operator, and without a valid key.
 */
export function apiKeyIdOf(request: FastifyRequest): string | undefined {
  const { caller } = stateOf(request);
  return caller?.kind === 'community' ? caller.apiKeyId : undefined;
}

/** Whether the request contains a key, valid or not. */
export function hasKey({ headers }: FastifyRequest): boolean {
  return Boolean(headers.authorization || headers['x-api-key']);
}

/** Whether the request contains the token of a session, valid or not. */
export function hasSession({ headers }: FastifyRequest): boolean {
  const [, token = ''] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
  return isSessionToken(token) && !headers['x-api-key'];
}

/**
 * Reads the key in any of its three forms. `X-API-Key` comes first: a gateway may need `Authorization` for
 * itself.
 */
export function readKey(request: FastifyRequest): PresentedKey {
  const { authorization, 'x-api-key': apiKey } = request.headers;
  // Node keeps only the first Authorization header, but a proxy may have used the second.
  const repeated = ['Authorization', 'X-API-Key'].filter((name) => countHeader(request, name) > 1);
  if (repeated.length > 0) {
    throw invalidRequest(repeated.map((parameter) => ({ parameter, detail: 'must be sent once' })));
  }
  if (typeof apiKey === 'string' && apiKey !== '') return { key: apiKey };
  const [, scheme, credentials] = /^(Bearer|Basic) +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (scheme === undefined || credentials === undefined) {
    throw new Refusal(
      authorization ? 'InvalidApiKey' : 'ApiKeyRequired',
      'Send an API key as "Authorization: Bearer KEY", "X-API-Key: KEY" or HTTP Basic with communityId:KEY.',
    );
  }
  if (scheme.toLowerCase() === 'bearer') return { key: credentials, isBearer: true };
  // Everything after the first colon is the key.
  const [communityId = '', ...keyParts] = Buffer.from(credentials, 'base64').toString('utf8').split(':');
  return { key: keyParts.join(':'), communityId };
}

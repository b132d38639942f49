import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/refusal.ts';
import { hasKey, optionalCallerOf } from '../auth.ts';
import { nameAddress, nameKey } from '../caller-names.ts';
import { bodyBytesOf } from '../json-body.ts';
import { type QuotaState, type RequestCounter, toCountName, WINDOW_SECONDS } from './request-counter.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether /openapi.json documents a rate limit for the route. Has no effect on the limit itself. */
    isRateLimited?: boolean;
    /** Which count of its address a request uses up. `address` by default. */
    addressPolicy?: 'address' | 'picture' | 'docs';
  }
}

const MAX_RECENT_KEYS = 10_000;
const BYTES_PER_REQUEST = 64 * 1024;

/** Requests per second, and the counter that counts them. */
export interface RateLimit {
  perKey: number;
  perAddress: number;
  counter: RequestCounter;
}

/** The hooks of the rate limit: `beforeKey` runs before authentication, `afterKey` after it. */
export interface RateLimiter {
  beforeKey(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  afterKey(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /**
   * Counts a large chunked body as several requests of its key. Runs before the response is sent, because the size is
   * unknown before. Requests without a key cannot have large bodies.
   */
  countChunkedBody(request: FastifyRequest): Promise<void>;
  /** Counts a request whose key was rejected. Runs before the response is sent. */
  countWrongKey(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/**
 * Limits requests by API key or, without one, by address. Pictures have a separate count by address: a page can show
 * many, and they must not use up the quota of claims, nor claims that of pictures. So has the documentation: a client
 * that gets 429 must be able to look it up. Wrong keys have a separate count by
 * address: it stops a client that guesses keys, but not requests from the same address with a right key or without a
 * key.
 *
 * After too many wrong keys from an address, `beforeKey` checks each key from this address, and rejects a wrong one
 * with 429. Each check costs a query, so the number of these checks is limited by the address's quota. Above the quota,
 * only keys that were recently right are checked, and all others are rejected.
 */
export function createRateLimiter(
  { perKey, perAddress, counter }: RateLimit,
  authenticate: (request: FastifyRequest) => Promise<unknown>,
): RateLimiter {
  const keyQuota = perKey * WINDOW_SECONDS;
  const addressQuota = perAddress * WINDOW_SECONDS;
  // The count names of the requests with a right key.
  const countedKeys = new WeakMap<FastifyRequest, string>();
  // The requests with a key that has not been accepted yet: those that are left when the response is sent had a wrong
  // key.
  const uncheckedKeys = new WeakSet<FastifyRequest>();
  const rightKeys = createRecentNames();
  const wrongKeys = createRecentNames(WINDOW_SECONDS * 1_000);
  const addressName = (policy: string, request: FastifyRequest) => toCountName(policy, nameAddress(request));

  function countAddress(request: FastifyRequest, reply: FastifyReply): void {
    const { addressPolicy: policy = 'address' } = request.routeOptions.config;
    const state = counter.count(addressName(policy, request), addressQuota, weigh(request));
    enforce(reply, { policy, quota: addressQuota }, state);
  }

  async function isRightKey(request: FastifyRequest): Promise<boolean> {
    const name = keyName(request);
    if (wrongKeys.has(name)) return false;
    if (!rightKeys.has(name)) {
      const checks = counter.count(addressName('key-check', request), addressQuota);
      if (checks.isExceeded) return false;
    }
    try {
      await authenticate(request);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      rightKeys.delete(name);
      wrongKeys.add(name);
      return false;
    }
  }

  return {
    beforeKey: async (request, reply) => {
      // An unknown path costs little and always gets a 404.
      if (request.is404) return;
      if (!usesKey(request)) return countAddress(request, reply);
      const state = counter.peek(addressName('wrong-key', request), addressQuota);
      if (state.isExceeded && !(await isRightKey(request))) {
        enforce(reply, { policy: 'wrong-key', quota: addressQuota }, state);
      }
      uncheckedKeys.add(request);
    },
    afterKey: async (request, reply) => {
      if (!uncheckedKeys.delete(request)) return;
      const caller = optionalCallerOf(request);
      if (caller === null) return countAddress(request, reply);
      rightKeys.add(keyName(request));
      const name = toCountName('key', nameKey(caller));
      countedKeys.set(request, name);
      const state = counter.count(name, keyQuota, weigh(request));
      enforce(reply, { policy: 'key', quota: keyQuota }, state);
    },
    countChunkedBody: async (request) => {
      const name = countedKeys.get(request);
      const more = Math.ceil(bodyBytesOf(request) / BYTES_PER_REQUEST) - 1;
      const isChunked = request.headers['transfer-encoding'] !== undefined;
      if (isChunked && name !== undefined && more > 0) counter.count(name, keyQuota, more);
    },
    countWrongKey: async (request, reply) => {
      if (!uncheckedKeys.has(request) || reply.statusCode >= 500) return;
      counter.count(addressName('wrong-key', request), addressQuota);
      if (reply.statusCode === 401) wrongKeys.add(keyName(request));
    },
  };
}

/**
 * Returns for how many requests a body counts: one for each started 64 KiB, up to the limit of the route. A larger body
 * is rejected without reading it.
 */
function weigh({ headers, routeOptions: { bodyLimit, config } }: FastifyRequest): number {
  if (config.isUpload === true) return 1;
  const bodyBytes = Math.min(Number(headers['content-length'] ?? 0), bodyLimit);
  return Math.max(1, Math.ceil(bodyBytes / BYTES_PER_REQUEST));
}

// Names a key by a hash of the headers that contain it, so that no key stays in memory.
function keyName({ headers }: FastifyRequest): string {
  return toCountName('sent', JSON.stringify([headers['x-api-key'], headers.authorization]));
}

/** Remembers the names that were added last, each for at most `maxAgeMs`. */
function createRecentNames(maxAgeMs = Number.POSITIVE_INFINITY) {
  const addedAtMs = new Map<string, number>();
  return {
    has: (name: string) => performance.now() - (addedAtMs.get(name) ?? Number.NEGATIVE_INFINITY) < maxAgeMs,
    add: (name: string) => {
      addedAtMs.delete(name);
      addedAtMs.set(name, performance.now());
      const [oldest] = addedAtMs.keys();
      if (addedAtMs.size > MAX_RECENT_KEYS && oldest !== undefined) addedAtMs.delete(oldest);
    },
    delete: (name: string) => addedAtMs.delete(name),
  };
}

function usesKey(request: FastifyRequest): boolean {
  const { access = 'public' } = request.routeOptions.config;
  return access !== 'public' && hasKey(request);
}

// The headers follow draft-ietf-httpapi-ratelimit-headers.
function enforce(
  reply: FastifyReply,
  { policy, quota }: { policy: string; quota: number },
  { remaining, isExceeded, resetSeconds }: QuotaState,
): void {
  reply
    .header('RateLimit-Policy', `"${policy}";q=${quota};w=${WINDOW_SECONDS}`)
    .header('RateLimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
  if (!isExceeded) return;
  reply.header('Retry-After', String(resetSeconds));
  throw new Refusal('RateLimited', 'Too many requests. Retry after the number of seconds in Retry-After.');
}

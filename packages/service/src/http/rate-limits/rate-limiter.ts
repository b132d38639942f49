import { isIPv6 } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../domain/refusal.ts';
import { hasKey, optionalCallerOf } from '../auth.ts';
import { type QuotaState, type RequestCounter, toCountName, WINDOW_SECONDS } from './request-counter.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Documents the rate limit of the route in /openapi.json. */
    isRateLimited?: boolean;
  }
}

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
  /** Runs before the response is sent. */
  countWrongKey(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/**
 * Limits requests by API key or, without one, by address. Rejected keys are counted separately by address: someone
 * who guesses keys is stopped, and requests without a key from the same address still pass.
 */
export function createRateLimiter({ perKey, perAddress, counter }: RateLimit): RateLimiter {
  const keyQuota = perKey * WINDOW_SECONDS;
  const addressQuota = perAddress * WINDOW_SECONDS;
  const keyUnchecked = new WeakSet<FastifyRequest>();
  const addressName = (policy: string, { ip }: FastifyRequest) => toCountName(policy, toAddressGroup(ip));

  function countAddress(request: FastifyRequest, reply: FastifyReply): void {
    const state = counter.count(addressName('address', request), addressQuota);
    enforce(reply, { policy: 'address', quota: addressQuota }, state);
  }

  return {
    beforeKey: async (request, reply) => {
      // An unknown path costs little and always gets a 404.
      if (request.is404) return;
      if (!usesKey(request)) return countAddress(request, reply);
      const wrongKeys = counter.peek(addressName('wrong-key', request), addressQuota);
      if (wrongKeys.isExceeded) enforce(reply, { policy: 'wrong-key', quota: addressQuota }, wrongKeys);
      keyUnchecked.add(request);
    },
    afterKey: async (request, reply) => {
      if (!keyUnchecked.delete(request)) return;
      const caller = optionalCallerOf(request);
      if (caller === null) return countAddress(request, reply);
      const identity = caller.kind === 'community' ? caller.apiKeyId : 'operator';
      const state = counter.count(toCountName('key', identity), keyQuota);
      enforce(reply, { policy: 'key', quota: keyQuota }, state);
    },
    countWrongKey: async (request, reply) => {
      if (!keyUnchecked.has(request) || reply.statusCode >= 500) return;
      counter.count(addressName('wrong-key', request), addressQuota);
    },
  };
}

function usesKey(request: FastifyRequest): boolean {
  const { access = 'public' } = request.routeOptions.config;
  return access !== 'public' && hasKey(request);
}

// Structured fields, after draft-ietf-httpapi-ratelimit-headers.
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

/** Rate-limit key of an address: IPv6 by /64, IPv4-mapped IPv6 as IPv4. */
export function toAddressGroup(address: string): string {
  const [ip = ''] = address.split('%');
  if (!isIPv6(ip)) return ip;
  // The URL parser normalizes an IPv6 address.
  const [head = '', tail] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  if (!isMapped) return groups.slice(0, 4).join(':');
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Count,
  nameOfCaller,
  type RequestCounter,
  WINDOW_SECONDS,
} from '../domain/rate-limits/rules.ts';
import { Refusal } from '../domain/refusal.ts';
import { hasKey, optionalCallerOf } from './auth.ts';
import { toCountedAddress } from './counted-address.ts';

/** How many requests a second, and who counts them. */
export interface RateLimit {
  perKey: number;
  perAddress: number;
  counter: RequestCounter;
}

/** The hooks that limit; `beforeKey` goes before the authentication and `afterKey` behind it. */
export interface RateLimiter {
  beforeKey(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  afterKey(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  countWrongKey(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/**
 * Counts requests in windows of five seconds, by the key, else by the address (of IPv6 its /64).
 * Keys that were refused have a count of their own: a guesser is stopped, others at its address read on.
 */
export function createRateLimiter({ perKey, perAddress, counter }: RateLimit): RateLimiter {
  const addressQuota = perAddress * WINDOW_SECONDS;
  const nameOfAddress = (policy: string, { ip }: FastifyRequest) =>
    nameOfCaller(policy, toCountedAddress(ip));

  function countAddress(request: FastifyRequest, reply: FastifyReply): void {
    const count = counter.count(nameOfAddress('address', request), addressQuota);
    answer(reply, { policy: 'address', quota: addressQuota }, count);
  }

  const atTheDoor = new WeakSet<FastifyRequest>();
  return {
    beforeKey: async (request, reply) => {
      // An unknown path costs nothing, and is not found whatever else is the matter.
      if (request.is404) return;
      if (!mayUseKey(request)) return countAddress(request, reply);
      const count = counter.look(nameOfAddress('wrong-key', request), addressQuota);
      if (count.isExceeded) answer(reply, { policy: 'wrong-key', quota: addressQuota }, count);
      atTheDoor.add(request);
    },
    afterKey: async (request, reply) => {
      if (!atTheDoor.delete(request)) return;
      const caller = optionalCallerOf(request);
      if (caller === null) return countAddress(request, reply);
      const quota = perKey * WINDOW_SECONDS;
      const who = caller.kind === 'community' ? caller.apiKeyId : 'operator';
      answer(reply, { policy: 'key', quota }, counter.count(nameOfCaller('key', who), quota));
    },
    countWrongKey: async (request, reply) => {
      if (!atTheDoor.has(request) || reply.statusCode >= 500) return;
      counter.count(nameOfAddress('wrong-key', request), addressQuota);
    },
  };
}

function mayUseKey(request: FastifyRequest): boolean {
  const { access = 'public' } = request.routeOptions.config;
  return access !== 'public' && hasKey(request);
}

// draft-ietf-httpapi-ratelimit-headers, as structured fields.
function answer(
  reply: FastifyReply,
  { policy, quota }: { policy: string; quota: number },
  { remaining, isExceeded, resetSeconds }: Count,
): void {
  reply
    .header('RateLimit-Policy', `"${policy}";q=${quota};w=${WINDOW_SECONDS}`)
    .header('RateLimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
  if (!isExceeded) return;
  reply.header('Retry-After', String(resetSeconds));
  throw new Refusal('RateLimited', 'Too many requests: try again after the seconds of Retry-After.');
}

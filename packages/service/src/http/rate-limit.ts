import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../domain/refusal.ts';
import { hasKey, optionalCallerOf } from './auth.ts';

/** How many requests a second. */
export interface RateLimit {
  perKey: number;
  perAddress: number;
}

/** The hooks that limit; `beforeKey` goes before the authentication and `afterKey` behind it. */
export interface RateLimiter {
  beforeKey(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  afterKey(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  countWrongKey(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

// Long enough that a burst passes, as a script's or a page's, whose average is within the limit.
const WINDOW_SECONDS = 5;

/**
 * Counts requests in windows of five seconds, by the key, else by the address (of IPv6 its /64).
 * Keys that were refused have a count of their own: a guesser is stopped, others at its address read on.
 */
export async function createRateLimiter(app: FastifyInstance, limit: RateLimit): Promise<RateLimiter> {
  // The counts lie in this process; a `store` given here is where processes would share them.
  await app.register(rateLimit, { global: false, timeWindow: WINDOW_SECONDS * 1_000 });
  const countKey = app.createRateLimit({ max: limit.perKey * WINDOW_SECONDS, keyGenerator: nameCaller });
  const countAddress = app.createRateLimit({ max: limit.perAddress * WINDOW_SECONDS });
  const countWrongKey = app.createRateLimit({ max: limit.perAddress * WINDOW_SECONDS });

  async function checkAddress(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    check(reply, toCount('address', await countAddress(request)));
  }

  const atTheDoor = new WeakSet<FastifyRequest>();
  return {
    beforeKey: async (request, reply) => {
      // An unknown path costs nothing, and is not found whatever else is the matter.
      if (request.is404) return;
      if (!mayUseKey(request)) return await checkAddress(request, reply);
      const count = toCount('wrong-key', await countWrongKey(request, { increment: false }));
      if (count.remaining === 0) check(reply, { ...count, isExceeded: true });
      atTheDoor.add(request);
    },
    afterKey: async (request, reply) => {
      if (!atTheDoor.delete(request)) return;
      if (optionalCallerOf(request) === null) return await checkAddress(request, reply);
      check(reply, toCount('key', await countKey(request)));
    },
    countWrongKey: async (request, reply) => {
      if (atTheDoor.has(request) && reply.statusCode < 500) await countWrongKey(request);
    },
  };
}

function mayUseKey(request: FastifyRequest): boolean {
  const { access = 'public' } = request.routeOptions.config;
  return access !== 'public' && hasKey(request);
}

function nameCaller(request: FastifyRequest): string {
  const caller = optionalCallerOf(request);
  return caller?.kind === 'community' ? caller.apiKeyId : 'operator';
}

interface Count {
  policy: string;
  quota: number;
  remaining: number;
  isExceeded: boolean;
  resetSeconds: number;
}

type PluginCount = Awaited<ReturnType<ReturnType<FastifyInstance['createRateLimit']>>>;

function toCount(policy: string, count: PluginCount): Count {
  if (count.isAllowed) throw new Error('no caller is exempt');
  const { max, remaining, isExceeded, ttlInSeconds } = count;
  return { policy, quota: max, remaining, isExceeded, resetSeconds: Math.max(ttlInSeconds, 1) };
}

// draft-ietf-httpapi-ratelimit-headers, as structured fields.
function check(reply: FastifyReply, { policy, quota, remaining, isExceeded, resetSeconds }: Count): void {
  reply
    .header('RateLimit-Policy', `"${policy}";q=${quota};w=${WINDOW_SECONDS}`)
    .header('RateLimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
  if (!isExceeded) return;
  reply.header('Retry-After', String(resetSeconds));
  throw new Refusal('RateLimited', 'Too many requests: try again after the seconds of Retry-After.');
}

import { ERRORS, LIMITS } from '@badge/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import {
  type QuotaState,
  type RequestCounter,
  toCountName,
  WINDOW_SECONDS,
} from '../rate-limits/request-counter.ts';
import { hasKey } from './auth.ts';
import { isForAddress, nameAddress, nameKey } from './caller-names.ts';
import { isCsvWanted } from './reads/is-csv-wanted.ts';
import { stateOf } from './request-state.ts';
import type { AddressPolicy } from './route-config.ts';

const MAX_RECENT_KEYS = 10_000;
/** How many bytes of a request body count as one request. */
const BYTES_PER_REQUEST = 64 * 1024;
// A web page loads at most about this many files. They are sent from memory, so they cost less than other
// requests.
const FILES_PER_PAGE = 10;
const ITEMS_PER_REQUEST = 100;

/** Requests per second, and the counter that counts them. */
export interface RateLimit {
  perKey: number;
  perAddress: number;
  counter: RequestCounter;
}

/** Counts requests, and throws if there are too many. */
export interface RateLimiter {
  /** Counts a request for its address. */
  countAddress(request: FastifyRequest, reply: FastifyReply, policy: AddressPolicy): void;
  /** Runs a check of the key of a request, and counts a wrong key. */
  checkKey<Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    check: () => Promise<Result>,
  ): Promise<Result>;
  /** Counts a request with a right key for the key. */
  countKey(request: FastifyRequest, reply: FastifyReply, caller: Caller): void;
  /**
   * Counts a request whose body asks for much work as several requests of its address. Runs before the
   * handler, so that the work is not done if the quota is used up.
   */
  countWork(request: FastifyRequest, reply: FastifyReply): void;
  /**
   * Counts a large chunked body, or the creation of many items, as several requests of its key. Runs before
   * the response is sent, because both are unknown until the body has been read. Only routes that require a
   * key accept large bodies or create many items.
   */
  countBody(request: FastifyRequest, reply: FastifyReply): void;
}

/** Counts nothing. */
export const NO_RATE_LIMIT: RateLimiter = {
  countAddress: () => undefined,
  checkKey: (_request, _reply, check) => check(),
  countKey: () => undefined,
  countWork: () => undefined,
  countBody: () => undefined,
};

/**
 * Limits requests by API key or, without one, by address. The following requests have counts of their own for
 * each address:
 * - pictures, because a page can show many. Pictures and claims must not use up each other's quota.
 * - the HTML of web pages, and the files that it loads, because browsers do not retry them
 * - the documentation, because a client that gets 429 must be able to read what it means
 * - wrong keys, because the limit must stop a client that guesses keys, but not requests from the same
 *   address with a right key or without a key
 *
 * After too many wrong keys from an address, further wrong keys from this address are rejected with 429, and
 * right ones pass. A check can cost a query, so an address has a quota of such checks. When it is used up,
 * only keys that were recently right are checked, and all others are rejected.
 */
export function createRateLimiter({ perKey, perAddress, counter }: RateLimit): RateLimiter {
  const keyQuota = perKey * WINDOW_SECONDS;
  const addressQuota = perAddress * WINDOW_SECONDS;
  const rightKeys = new LRUCache<string, true>({ max: MAX_RECENT_KEYS });
  // After too many wrong keys from an address, a key that was wrong is rejected without another check for
  // this time.
  const wrongKeys = new LRUCache<string, true>({ max: MAX_RECENT_KEYS, ttl: WINDOW_SECONDS * 1_000 });
  const addressName = (policy: string, request: FastifyRequest) => toCountName(policy, nameAddress(request));

  function countAddress(
    request: FastifyRequest,
    reply: FastifyReply,
    policy: AddressPolicy,
    weight = weigh(request),
  ): void {
    if (policy === 'none') return;
    const quota = policy === 'file' ? FILES_PER_PAGE * addressQuota : addressQuota;
    const state = counter.count(addressName(policy, request), quota, weight);
    enforce(reply, { policy, quota }, state);
  }

  function mayCheckKey(request: FastifyRequest, name: string): boolean {
    if (wrongKeys.has(name)) return false;
    return rightKeys.has(name) || !counter.count(addressName('key-check', request), addressQuota).isExceeded;
  }

  return {
    countAddress,
    checkKey: async (request, reply, check) => {
      if (!hasKey(request)) return await check();
      const name = keyName(request);
      const state = counter.peek(addressName('wrong-key', request), addressQuota);
      const refuse = () => enforce(reply, { policy: 'wrong-key', quota: addressQuota }, state);
      if (state.isExceeded && !mayCheckKey(request, name)) refuse();
      try {
        const caller = await check();
        rightKeys.set(name, true);
        return caller;
      } catch (error) {
        const status = error instanceof Refusal ? ERRORS[error.errorName].status : 500;
        if (status >= 500) throw error;
        rightKeys.delete(name);
        if (state.isExceeded || status === 401) wrongKeys.set(name, true);
        if (state.isExceeded) refuse();
        counter.count(addressName('wrong-key', request), addressQuota);
        throw error;
      }
    },
    countKey: (request, reply, caller) => {
      if (isForAddress(caller)) return countAddress(request, reply, 'address');
      const state = counter.count(toCountName('key', nameKey(caller)), keyQuota, weigh(request));
      enforce(reply, { policy: 'key', quota: keyQuota }, state);
    },
    countWork: (request, reply) => {
      const { weighBody } = request.routeOptions.config;
      if (weighBody === undefined) return;
      const { bodyBytes } = stateOf(request);
      const requests = Math.max(weighBody(request.body), Math.ceil(bodyBytes / BYTES_PER_REQUEST));
      const countedRequests = weigh(request);
      if (requests > countedRequests) countAddress(request, reply, 'address', requests - countedRequests);
    },
    countBody: (request, { statusCode }) => {
      const { caller, bodyBytes } = stateOf(request);
      if (caller === null || isForAddress(caller)) return;
      const isChunked = request.headers['transfer-encoding'] !== undefined;
      const bodyRequests = isChunked ? Math.ceil(bodyBytes / BYTES_PER_REQUEST) : 0;
      const { countCreatedItems } = request.routeOptions.config;
      const createdItems = statusCode === 201 ? (countCreatedItems?.(request.body) ?? 0) : 0;
      const requests = Math.max(bodyRequests, Math.ceil(createdItems / ITEMS_PER_REQUEST));
      const countedRequests = weigh(request);
      if (requests <= countedRequests) return;
      counter.count(toCountName('key', nameKey(caller)), keyQuota, requests - countedRequests);
    },
  };
}

/**
 * Returns how many requests a request counts as: one for each started 64 KiB of its body, or for each started
 * 100 of the `limit` of its list. A body or a `limit` above the maximum of the route counts as the maximum,
 * because it is rejected. A whole list as CSV counts as a page of 1,000. An upload, and a list of a route
 * with `isListCountedOnce`, count as one request.
 */
function weigh(request: FastifyRequest): number {
  const {
    headers,
    query,
    routeOptions: { bodyLimit, config },
  } = request;
  if (config.isUpload === true || config.isListCountedOnce === true) return 1;
  const bodyBytes = Math.min(Number(headers['content-length'] ?? 0), bodyLimit);
  // A `limit` that is not a number is rejected later, so it adds nothing here.
  const items = isCsvWanted(request)
    ? LIMITS.pageItems
    : Math.min(Number((query as { limit?: unknown }).limit) || 0, LIMITS.pageItems);
  return Math.max(1, Math.ceil(bodyBytes / BYTES_PER_REQUEST), Math.ceil(items / ITEMS_PER_REQUEST));
}

// Names a key by a hash of the headers that contain it, so that no key stays in memory.
function keyName({ headers }: FastifyRequest): string {
  return toCountName('sent', JSON.stringify([headers['x-api-key'], headers.authorization]));
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

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RunChainCalls } from '../domain/check-signature.ts';
import { Refusal } from '../domain/refusal.ts';
import { type RequestCounter, toCountName } from '../rate-limits/request-counter.ts';
import { optionalCallerOf } from './auth.ts';
import { isForAddress, nameKeyOrAddress } from './caller-names.ts';
import { clientSignal } from './client-signal.ts';

declare module 'fastify' {
  interface FastifyInstance {
    chainCallCounter: RequestCounter;
  }
}

/** How long the calls of a caller count. */
export const CHAIN_CALL_WINDOW_SECONDS = 60;
/**
 * How many contract wallets and ENS names a caller can let the service ask in a window. docs/interface.md
 * states both numbers.
 */
export const MAX_CHAIN_CALLS = { perAddress: 120, perKey: 400 };

/**
 * Adds the counter of chain calls. Their limit is there even without rate limits, because the endpoints
 * belong to others, who limit and bill requests.
 */
export function addChainCallCounter(v1: FastifyInstance, counter: RequestCounter): void {
  v1.decorate('chainCallCounter', counter);
}

/** Returns the function that runs the chain calls of a request under /v1. */
export function chainCallsOf(request: FastifyRequest, reply: FastifyReply): RunChainCalls {
  return async (calls, work) => {
    countCalls(request, calls);
    const { chainReads } = request.server.resources;
    return await chainReads.run(nameKeyOrAddress(request), clientSignal(reply), work);
  };
}

function countCalls(request: FastifyRequest, calls: number): void {
  const caller = optionalCallerOf(request);
  const isKey = caller !== null && !isForAddress(caller);
  const quota = isKey ? MAX_CHAIN_CALLS.perKey : MAX_CHAIN_CALLS.perAddress;
  const name = toCountName('chain-call', nameKeyOrAddress(request));
  const { isExceeded, resetSeconds } = request.server.chainCallCounter.count(name, quota, calls);
  if (!isExceeded) return;
  throw new Refusal(
    'RateLimited',
    'Too many signatures of contract wallets, or ENS names, came from this caller. Retry after the number of seconds in Retry-After.',
    { retryAfterSeconds: resetSeconds },
  );
}

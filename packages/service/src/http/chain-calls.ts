import type { FastifyRequest } from 'fastify';
import type { CountChainCalls } from '../domain/check-signature.ts';
import { Refusal } from '../domain/refusal.ts';
import { type RequestCounter, toCountName } from '../rate-limits/request-counter.ts';
import { optionalCallerOf } from './auth.ts';
import { isForAddress, nameKeyOrAddress } from './caller-names.ts';
import { stateOf } from './request-state.ts';

/** How long the calls of a caller count. */
export const CHAIN_CALL_WINDOW_SECONDS = 60;
/** How many contract wallets a caller can let the service ask in a window. docs/interface.md states both numbers. */
export const MAX_CHAIN_CALLS = { perAddress: 120, perKey: 600 };

/**
 * Returns the hook that prepares the limit of chain calls. It is there even without rate limits, because the endpoints belong
 * to others, who limit and bill requests.
 */
export function limitChainCalls(counter: RequestCounter): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    stateOf(request).countChainCalls = (calls) => {
      const caller = optionalCallerOf(request);
      const isKey = caller !== null && !isForAddress(caller);
      const quota = isKey ? MAX_CHAIN_CALLS.perKey : MAX_CHAIN_CALLS.perAddress;
      const name = toCountName('chain-call', nameKeyOrAddress(request));
      const { isExceeded, resetSeconds } = counter.count(name, quota, calls);
      if (!isExceeded) return;
      throw new Refusal(
        'RateLimited',
        'Too many signatures of contract wallets, or ENS names, came from this caller. Retry after the number of seconds in Retry-After.',
        { retryAfterSeconds: resetSeconds },
      );
    };
  };
}

/** Returns the function that counts the chain calls of a request under /v1. */
export function chainCallsOf(request: FastifyRequest): CountChainCalls {
  const { countChainCalls } = stateOf(request);
  if (countChainCalls === null) throw new Error('the route is not under /v1');
  return countChainCalls;
}

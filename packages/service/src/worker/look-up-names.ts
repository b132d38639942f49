import type { Context } from '../context.ts';
import { lookUpNames } from '../domain/ens-names/look-up-names.ts';
import { type Loop, startLoop } from './loop.ts';

const MAX_BACKOFF_MS = 60_000;

/**
 * Looks up the primary names of addresses until it is stopped. Returns null if this process resolves no
 * names.
 */
export function startLookingUpNames(context: Context): Pick<Loop, 'stop'> | null {
  if (context.ens === null) return null;
  return startLoop({
    work: () => lookUpNames(context),
    // The log says it already for each endpoint.
    onError: (error) => context.log.debug({ err: error }, 'looking up names failed and is retried'),
    maxBackoffMs: MAX_BACKOFF_MS,
    firstPauseMs: 500,
  });
}

import type { Context } from '../context.ts';
import { cleanUpUnwantedNames, lookUpNames } from '../domain/ens-names/look-up-names.ts';
import { type Loop, startCleanUp, startLoop } from './loop.ts';

const CLEAN_UP_INTERVAL_MS = 600_000;
const MAX_BACKOFF_MS = 60_000;

/** Looks up the primary names of addresses until it is stopped. Returns null if this process resolves no names. */
export function startLookingUpNames(context: Context): Pick<Loop, 'stop'> | null {
  if (context.ens === null) return null;
  const lookUps = startLoop({
    work: () => lookUpNames(context),
    // The log says it already for each endpoint.
    onError: (error) => context.log.debug({ err: error }, 'looking up names failed and is retried'),
    maxBackoffMs: MAX_BACKOFF_MS,
  });
  const cleanUps = startCleanUp({
    work: () => cleanUpUnwantedNames(context),
    onError: (error) => context.log.warn({ err: error }, 'deleting names failed and is retried'),
    intervalMs: CLEAN_UP_INTERVAL_MS,
  });
  return {
    stop: async () => {
      await Promise.all([lookUps.stop(), cleanUps.stop()]);
    },
  };
}

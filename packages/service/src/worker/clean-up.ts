import type { Context } from '../context.ts';
import { cleanUpNextEndedLink } from '../domain/claim-links/clean-up-ended-links.ts';
import { cleanUpUnwantedNames } from '../domain/ens-names/look-up-names.ts';
import { deleteOldEvents } from '../domain/events/place-events.ts';
import { cleanUpMails } from '../domain/invitations/clean-up-mails.ts';
import { cleanUpNextDeletedNftType } from '../domain/nft-types/clean-up-deleted-nft-types.ts';
import { cleanUpExpiredSessions } from '../domain/sessions/clean-up-expired-sessions.ts';
import { cleanUpTransfers } from '../domain/transfers/clean-up-transfers.ts';
import { cleanUpOldDeliveries } from '../domain/webhooks/clean-up-old-deliveries.ts';
import { startLoop } from './loop.ts';

// So that a start leaves the database to the requests that wait for it.
const FIRST_PAUSE_MS = 5_000;
const PAUSE_MS = 5_000;
const MINUTE_MS = 60_000;

interface CleanUpTask {
  /** What is cleaned up, in the log. */
  name: 'assets' | 'links' | 'mails' | 'sessions' | 'events' | 'deliveries' | 'names' | 'transfers';
  intervalMs: number;
  /** Returns whether there may be more. */
  work(): Promise<boolean>;
}

export interface CleanUp {
  /** An operation has ended that may have been the last use of an asset. */
  assetMayBeUnused(): void;
  stop(): Promise<void>;
}

/**
 * Removes what has expired or is used no more, in one loop, until it is stopped. A task that fails does not
 * delay the others.
 */
export function startCleanUp(context: Context): CleanUp {
  let isStopping = false;
  const tasks: CleanUpTask[] = [
    {
      // If only unfinished operations use the asset of a deleted NFT type, it is checked again later.
      name: 'assets',
      intervalMs: MINUTE_MS,
      async work() {
        let sequence: number | null = 0;
        while (sequence !== null && !isStopping)
          sequence = await cleanUpNextDeletedNftType(context, sequence);
        return false;
      },
    },
    { name: 'links', intervalMs: MINUTE_MS, work: () => cleanUpNextEndedLink(context) },
    { name: 'transfers', intervalMs: MINUTE_MS, work: () => cleanUpTransfers(context) },
    { name: 'mails', intervalMs: MINUTE_MS, work: () => cleanUpMails(context) },
    // Expired sessions, old events, deliveries and names do no harm, so their rows can wait.
    { name: 'sessions', intervalMs: 10 * MINUTE_MS, work: () => cleanUpExpiredSessions(context) },
    { name: 'events', intervalMs: 10 * MINUTE_MS, work: () => deleteOldEvents(context) },
    { name: 'deliveries', intervalMs: 10 * MINUTE_MS, work: () => cleanUpOldDeliveries(context) },
    { name: 'names', intervalMs: 10 * MINUTE_MS, work: () => cleanUpUnwantedNames(context) },
  ];
  const dueAtMs = new Map<string, number>();

  async function runDueTasks(): Promise<boolean> {
    let mayBeMore = false;
    for (const { name, intervalMs, work } of tasks) {
      if (isStopping) return false;
      if (performance.now() < (dueAtMs.get(name) ?? 0)) continue;
      dueAtMs.set(name, performance.now() + intervalMs);
      try {
        if (await work()) {
          dueAtMs.delete(name);
          mayBeMore = true;
        }
      } catch (error) {
        context.log.warn({ err: error, task: name }, 'cleaning up failed and is retried');
      }
    }
    return mayBeMore;
  }

  const loop = startLoop({
    work: runDueTasks,
    onError: () => undefined,
    maxBackoffMs: PAUSE_MS,
    pollMs: PAUSE_MS,
    firstPauseMs: FIRST_PAUSE_MS,
  });
  return {
    assetMayBeUnused: () => {
      dueAtMs.delete('assets');
      loop.wake();
    },
    stop: async () => {
      isStopping = true;
      await loop.stop();
    },
  };
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from './database.ts';
import { isMigrated } from './migrate.ts';

/** Returns a check of the database. Within `timeoutMs`, the check returns null if the database is ready, otherwise why not. */
export function createReadinessCheck(db: Database, timeoutMs: number): () => Promise<string | null> {
  let running: Promise<string | null> | undefined;

  async function check(): Promise<string | null> {
    try {
      return (await isMigrated(db)) ? null : 'The database is not migrated to this release.';
    } catch {
      return 'The database cannot be reached.';
    } finally {
      running = undefined;
    }
  }

  return async () => {
    // Concurrent calls share one query, so that probes cannot use up the connections.
    running ??= check();
    const timeout = wait(timeoutMs, 'The database does not respond.', { ref: false });
    return await Promise.race([running, timeout]);
  };
}

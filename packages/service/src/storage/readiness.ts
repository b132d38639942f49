import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from './database.ts';
import { isMigrated } from './migrate.ts';

/** Makes the question what keeps the database from serving this release now: null, or a sentence within `longestMs`. */
export function createReadinessCheck(db: Database, longestMs: number): () => Promise<string | null> {
  let asked: Promise<string | null> | undefined;

  async function ask(): Promise<string | null> {
    try {
      return (await isMigrated(db)) ? null : 'The database is not migrated to this release.';
    } catch {
      return 'The database is out of reach.';
    } finally {
      asked = undefined;
    }
  }

  return async () => {
    // All who ask meanwhile share one question, so that probes cannot use up the connections.
    asked ??= ask();
    const silence = wait(longestMs, 'The database does not answer.', { ref: false });
    return await Promise.race([asked, silence]);
  };
}

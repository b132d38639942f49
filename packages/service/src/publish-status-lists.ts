import type { Config } from './config.ts';
import { createStatusListReader } from './domain/credentials/read-status-list.ts';
import { Refusal } from './domain/refusal.ts';
import { createLog } from './log.ts';
import { prepareDatabase } from './prepare-database.ts';
import { readSecrets } from './secrets.ts';
import { createIssuerKeys } from './signatures/issuer-keys.ts';
import { listStatusListIds } from './storage/credentials.ts';
import { createReplacement } from './storage/replacement.ts';

/**
 * Calls `write` with each signed status list, one after the other. Returns how many were signed, and how many
 * cannot be, because their keys are of another seed.
 */
export async function writeStatusLists(
  config: Config,
  write: (listId: string, bytes: Buffer) => Promise<void>,
): Promise<{ signed: number; skipped: number }> {
  const log = createLog(config.logLevel);
  const { issuerSeed } = await readSecrets(config);
  const { database, close } = await prepareDatabase(config, {
    log,
    onDatabaseError: (error) => log.warn({ err: error }),
    replacement: createReplacement(),
  });
  try {
    const readStatusList = createStatusListReader({
      database,
      log,
      issuerKeys: issuerSeed === undefined ? null : createIssuerKeys(issuerSeed),
    });
    const counts = { signed: 0, skipped: 0 };
    for (const listId of await listStatusListIds(database)) {
      const list = await readStatusList(listId).catch((error: unknown) => {
        if (error instanceof Refusal && error.errorName === 'CredentialsUnavailable') return null;
        throw error;
      });
      if (list === null) counts.skipped += 1;
      else {
        counts.signed += 1;
        await write(listId, list.bytes);
      }
    }
    return counts;
  } finally {
    await close();
  }
}

import type { Config } from './config.ts';
import { createStatusListReader } from './domain/credentials/read-status-list.ts';
import { createLog } from './log.ts';
import { prepareDatabase } from './prepare-database.ts';
import { readSecrets } from './secrets.ts';
import { createIssuerKeys } from './signatures/issuer-keys.ts';
import { listStatusListIds } from './storage/credentials.ts';
import { createRenewal } from './storage/renewal.ts';

/** Calls `write` with each signed status list, one after the other. Returns how many there are. */
export async function writeStatusLists(
  config: Config,
  write: (listId: string, bytes: Buffer) => Promise<void>,
): Promise<number> {
  const log = createLog(config.logLevel);
  const { issuerSeed } = await readSecrets(config);
  const { database, close } = await prepareDatabase(config, {
    log,
    onDatabaseError: (error) => log.warn({ err: error }),
    renewal: createRenewal(),
  });
  try {
    const readStatusList = createStatusListReader({
      database,
      log,
      issuerKeys: issuerSeed === undefined ? null : createIssuerKeys(issuerSeed),
    });
    const listIds = await listStatusListIds(database);
    for (const listId of listIds) await write(listId, (await readStatusList(listId)).bytes);
    return listIds.length;
  } finally {
    await close();
  }
}

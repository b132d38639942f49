import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isWithoutFiles } from './data-files.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { type EngineLog, socketPort, superuser } from './engine.ts';
import { createMaintenanceClient } from './owner-lock.ts';
import { readPostmasterFile } from './postmaster-file.ts';

/** A look at the database of a data directory. */
export interface EmbeddedVisit {
  readonly connection: EmbeddedPostgres['connection'];
  /** Whether its server was started for the visit, since no service runs there. */
  readonly isStarted: boolean;
  /** Stops what was started. */
  leave(): Promise<void>;
}

/**
 * Reaches the database of the service that runs on the data directory, or starts its server for the visit.
 * Null where there are no database files: none are made. Throws an EmbeddedPostgresError.
 */
export async function visitEmbeddedPostgres(options: {
  dataDir: string;
  log: EngineLog;
}): Promise<EmbeddedVisit | null> {
  const dataDir = await realpath(options.dataDir).catch(() => options.dataDir);
  const filesDir = join(dataDir, 'postgres');
  if (await isWithoutFiles(filesDir)) return null;
  const { socketDir = '' } = (await readPostmasterFile(filesDir)) ?? {};
  for (const host of new Set([socketDir, filesDir])) {
    if (host === '' || !(await isAnswering(host))) continue;
    const connection = { host, port: socketPort, user: superuser, database: 'badge' };
    return { connection, isStarted: false, leave: async () => undefined };
  }
  const engine = await startEmbeddedPostgres(options);
  return { connection: engine.connection, isStarted: true, leave: () => engine.stop() };
}

async function isAnswering(host: string): Promise<boolean> {
  const client = createMaintenanceClient({ host, port: socketPort });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loadBinaries } from './binaries.ts';
import { chooseLauncher, type LauncherChoice } from './choose-launcher.ts';
import { giveFilesToOwner, openDataDirectory } from './data-directory.ts';
import {
  checkFilesVersion,
  createDataFiles,
  isWithoutFiles,
  removeUnfinishedDataFiles,
} from './data-files.ts';
import { type EngineLog, socketPort, superuser } from './engine.ts';
import { createMaintenanceClient } from './owner-lock.ts';
import { rotateServerLog } from './server-log.ts';
import { openSocketDirectory } from './socket-directory.ts';
import { superviseServer } from './supervise-server.ts';

export { EmbeddedPostgresError } from './embedded-postgres-error.ts';
export type { EngineLog } from './engine.ts';

const database = 'badge';

/** A PostgreSQL server that this process runs on its own data directory. */
export interface EmbeddedPostgres {
  /** What a `pg` client needs: a Unix socket directory as host. It stays the same when the server restarts. */
  readonly connection: { host: string; port: number; user: string; database: string };
  /** Shuts the server down and resolves when its process is gone. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log: EngineLog;
  readonly launcherChoice?: LauncherChoice;
}

/** Starts a PostgreSQL server, with new files where there are none; throws an EmbeddedPostgresError. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log } = options;
  const beganMs = performance.now();
  const binaries = await loadBinaries();
  const dataDir = await openDataDirectory(options.dataDir);
  const filesDir = join(dataDir, 'postgres');
  const { launcher, majorVersion } = await chooseLauncher(dataDir, binaries, options.launcherChoice);

  await removeUnfinishedDataFiles(dataDir, log);
  await giveFilesToOwner(dataDir, filesDir, launcher);
  if (await isWithoutFiles(filesDir)) await createDataFiles(filesDir, { dataDir, binaries, launcher });
  await checkFilesVersion(filesDir, majorVersion);

  const socketDir = await openSocketDirectory(filesDir, launcher.owner);
  await rotateServerLog(dataDir);
  const server = await superviseServer({ binaries, launcher, dataDir, filesDir, socketDir, log });
  const connection = { host: socketDir, port: socketPort, user: superuser, database };
  try {
    await createDatabaseIfMissing(connection);
  } catch (error) {
    await server.stop();
    throw error;
  }
  const { user: runsAs, hasParentDeathSignal } = launcher;
  const durationMs = Math.round(performance.now() - beganMs);
  log.info({ filesDir, runsAs, hasParentDeathSignal, durationMs }, 'the embedded PostgreSQL runs');
  return {
    connection,
    async stop() {
      await server.stop();
      if (socketDir !== filesDir) await rmdir(socketDir).catch(() => {});
    },
  };
}

async function createDatabaseIfMissing({ host, port }: { host: string; port: number }): Promise<void> {
  const client = createMaintenanceClient({ host, port });
  try {
    await client.connect();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${database}`);
  } finally {
    await client.end();
  }
}

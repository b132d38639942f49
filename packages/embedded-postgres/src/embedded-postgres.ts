import { realpath, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  checkFilesVersion,
  createDataFiles,
  giveFilesToUser,
  isMissingOrEmpty,
  openDataDirectory,
  removeUnfinishedDataFiles,
} from './data-directory.ts';
import { chooseLauncher, findBinaries, type LauncherChoice } from './launcher.ts';
import { type Connection, connectionTo, createMaintenanceClient, type ServerAddress } from './owner-lock.ts';
import { readPostmasterFile } from './postmaster.ts';
import type { Log } from './server-config.ts';
import { rotateServerLog } from './server-log.ts';
import { superviseServer } from './server-process.ts';
import { openSocketDirectory } from './socket-directory.ts';

/** A running PostgreSQL server. It is restarted whenever it ends unexpectedly. */
export interface EmbeddedPostgres {
  /** Stays the same when the server restarts. */
  readonly connection: Connection;
  /** Shuts the server down. Resolves when its process has ended. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /**
   * Created if missing. The database is in its subdirectory `postgres`, the server's log in `postgres.log`.
   */
  readonly dataDir: string;
  /** The name of the superuser and of the database: lower-case letters, digits and `_`. */
  readonly name: string;
  readonly log: Log;
  /** Default: 100, which is also PostgreSQL's default. */
  readonly maxConnections?: number;
  /** For tests. */
  readonly launcherChoice?: LauncherChoice;
}

/** Starts a PostgreSQL server on a data directory. Throws an `EmbeddedPostgresError` if it cannot run. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { name, log, maxConnections = 100 } = options;
  if (!/^[a-z][a-z0-9_]{0,62}$/.test(name)) throw new TypeError(`"${name}" is not a valid database name`);
  const startedMs = performance.now();
  const binaries = await findBinaries();
  const dataDir = await openDataDirectory(options.dataDir);
  const filesDir = join(dataDir, 'postgres');
  const { launcher, majorVersion } = await chooseLauncher(dataDir, binaries, options.launcherChoice);

  await removeUnfinishedDataFiles(dataDir, log);
  await giveFilesToUser(dataDir, filesDir, launcher);
  if (await isMissingOrEmpty(filesDir)) {
    await createDataFiles({ name, dataDir, filesDir, binaries, launcher });
  }
  await checkFilesVersion(filesDir, majorVersion);

  const socketDir = await openSocketDirectory(filesDir, launcher.ids, name);
  await rotateServerLog(dataDir);
  const server = await superviseServer({
    name,
    binaries,
    launcher,
    dataDir,
    filesDir,
    socketDir,
    maxConnections,
    log,
  });
  try {
    await createDatabaseIfMissing({ host: socketDir, name });
  } catch (error) {
    await server.stop();
    throw error;
  }
  const { mode: runsAs, hasParentDeathSignal } = launcher;
  const durationMs = Math.round(performance.now() - startedMs);
  log.info({ filesDir, runsAs, hasParentDeathSignal, durationMs }, 'embedded PostgreSQL started');
  return {
    connection: connectionTo({ host: socketDir, name }),
    async stop() {
      await server.stop();
      if (socketDir !== filesDir) await rmdir(socketDir).catch(() => {});
    },
  };
}

async function createDatabaseIfMissing(server: ServerAddress): Promise<void> {
  const client = createMaintenanceClient(server);
  try {
    await client.connect();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [server.name]);
    if (rowCount === 0) await client.query(`create database ${server.name}`);
  } finally {
    await client.end();
  }
}

/** A connection to a server that this process or another one has started. */
export interface EmbeddedPostgresUse {
  readonly connection: Connection;
  /** True if no server ran on the data directory, so this process has started one. */
  readonly hasStartedServer: boolean;
  /** Stops the server if this process has started it. */
  end(): Promise<void>;
}

/**
 * Connects to the server that runs on a data directory. If none runs, starts one, which runs until `end` is
 * called. Returns null if the data directory contains no database. Throws an `EmbeddedPostgresError` if the
 * server cannot run.
 */
export async function useOrStartEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgresUse | null> {
  const { name } = options;
  const dataDir = await realpath(options.dataDir).catch(() => options.dataDir);
  const filesDir = join(dataDir, 'postgres');
  if (await isMissingOrEmpty(filesDir)) return null;
  // The server names its socket directory in `postmaster.pid`. This file can be missing, incomplete or left
  // over from an earlier run, so the directory of the database files is tried too.
  const postmaster = await readPostmasterFile(filesDir);
  const socketDirs = new Set([postmaster?.socketDir || filesDir, filesDir]);
  for (const host of socketDirs) {
    if (!(await acceptsConnections({ host, name }))) continue;
    return {
      connection: connectionTo({ host, name }),
      hasStartedServer: false,
      end: async () => undefined,
    };
  }
  const postgres = await startEmbeddedPostgres(options);
  return { connection: postgres.connection, hasStartedServer: true, end: () => postgres.stop() };
}

async function acceptsConnections(server: ServerAddress): Promise<boolean> {
  const client = createMaintenanceClient(server);
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

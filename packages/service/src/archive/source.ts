import { stat } from 'node:fs/promises';
import { useOrStartEmbeddedPostgres } from '@badge/embedded-postgres';
import type { Config } from '../config.ts';
import { createLog } from '../log.ts';
import { removeTimeLimits } from '../storage/archive.ts';
import {
  checkServer,
  type Database,
  type DatabaseConnection,
  type DatabaseTransaction,
  openDatabase,
} from '../storage/database.ts';
import { checkDeployment } from '../storage/deployment.ts';
import { isMigrated, needsMigration } from '../storage/migrate.ts';
import { ArchiveError } from './tar.ts';

/** The database of an installation, for a command. */
export interface Source {
  database: Database;
  /** Whether a service can settle what is pending. */
  mayBeServed: boolean;
  /** Throws if the database is not of this release, or of another configuration. */
  check(): Promise<void>;
  end(): Promise<void>;
}

/**
 * Opens the database of the configuration. Without a service, starts the embedded PostgreSQL, which `end`
 * stops again. Throws `ArchiveError` if there is none.
 */
export async function openSource(config: Config): Promise<Source> {
  const { connection, mayBeServed, end } = await findServer(config);
  const database = openDatabase(connection, () => undefined, {
    connections: 2,
    statementTimeoutMs: 0,
    mayBeReadOnly: true,
  });
  return {
    database,
    mayBeServed,
    check: async () => {
      await checkServer(database);
      if ((await needsMigration(database)) || !(await isMigrated(database)))
        throw new ArchiveError('the database is not migrated to this release: run npm run migrate');
      // Another configuration probably has other keys.
      await checkDeployment(database, config);
    },
    end: async () => {
      await database.destroy();
      await end();
    },
  };
}

async function findServer(config: Config): Promise<{
  connection: DatabaseConnection;
  mayBeServed: boolean;
  end(): Promise<void>;
}> {
  if (config.databaseUrl !== undefined) {
    return {
      connection: { connectionString: config.databaseUrl },
      mayBeServed: true,
      end: async () => undefined,
    };
  }
  const server = await useOrStartEmbeddedPostgres({
    dataDir: config.dataDir,
    name: 'badge',
    log: createLog(config.logLevel),
  });
  if (server === null) throw new ArchiveError(`there is no database in ${config.dataDir}`);
  const { connection, hasStartedServer, end } = server;
  return { connection, mayBeServed: !hasStartedServer, end: () => end() };
}

/** Reads the database as it is at one moment, for as long as it takes. */
export async function inSnapshot<T>(
  database: Database,
  work: (tx: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  return await database
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      await removeTimeLimits(tx);
      return await work(tx);
    });
}

export async function refuseExisting(file: string): Promise<void> {
  const exists = await stat(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new ArchiveError(`${file} exists already: name another file`);
}

import { setTimeout as wait } from 'node:timers/promises';
import { startEmbeddedPostgres } from '@badge/embedded-postgres';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { createLog } from './log.ts';
import {
  checkServer,
  type Database,
  type DatabaseConnection,
  isDatabaseUnavailable,
  openDatabase,
} from './storage/database.ts';
import { checkDeployment, type Deployment, recordDeployment } from './storage/deployment.ts';
import { migrate } from './storage/migrate.ts';
import { createRenewal, type Renewal } from './storage/renewal.ts';

const RETRY_MS = 250;
// While a start waits for the database, the log repeats the reason at this interval.
const WAIT_LOG_INTERVAL_MS = 10_000;

interface PrepareOptions {
  log: Logger;
  onDatabaseError: (error: unknown) => void;
  renewal: Renewal;
  /** Ends the wait for the database. */
  stopSignal?: AbortSignal | undefined;
  /** If given, compared with the database's record before the database is changed; recorded at the first start. */
  deployment?: Deployment | undefined;
}

/** A database that is migrated to this release. */
interface PreparedDatabase {
  connection: DatabaseConnection;
  database: Database;
  /** Closes the connections, and stops the embedded PostgreSQL if there is one. */
  close(): Promise<void>;
}

/**
 * Opens the database of the configuration, or starts the embedded one. Waits until it can be used, checks that it
 * belongs to this deployment, and migrates it.
 */
export async function prepareDatabase(config: Config, options: PrepareOptions): Promise<PreparedDatabase> {
  const { log, onDatabaseError, renewal, deployment } = options;
  const postgres =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: config.dataDir, name: 'badge', log })
      : undefined;
  const connection = postgres?.connection ?? { connectionString: config.databaseUrl ?? '' };
  const database = openDatabase(connection, onDatabaseError, { renewal });
  const close = async () => {
    await database.destroy().finally(() => postgres?.stop());
  };
  try {
    await waitForServer(database, config, options);
    if (deployment !== undefined) await checkDeployment(database, deployment);
    // A migration has no statement timeout.
    const migrator = openDatabase(connection, onDatabaseError, { connections: 1, statementTimeoutMs: 0 });
    const migrations = await migrate(migrator).finally(() => migrator.destroy());
    if (migrations.length > 0) log.info({ migrations }, 'migrated the database');
    if (deployment !== undefined) await recordDeployment(database, deployment);
    return { connection, database, close };
  } catch (error) {
    await close().catch((closeError: unknown) =>
      log.error({ err: closeError }, 'the database was not closed cleanly'),
    );
    throw error;
  }
}

// Waits for a server that is still starting, or for a standby to become the primary.
async function waitForServer(
  database: Database,
  { databaseWaitMs }: Config,
  { log, stopSignal }: PrepareOptions,
): Promise<void> {
  const deadlineMs = performance.now() + databaseWaitMs;
  let logged: { reason: string; atMs: number } | undefined;
  for (;;) {
    try {
      await checkServer(database);
      return;
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() > deadlineMs) throw error;
      const reason = String(error);
      const nowMs = performance.now();
      if (reason !== logged?.reason || nowMs - logged.atMs >= WAIT_LOG_INTERVAL_MS) {
        log.warn({ reason }, 'waiting for the database');
        logged = { reason, atMs: nowMs };
      }
      await wait(RETRY_MS, undefined, { signal: stopSignal });
    }
  }
}

/**
 * Applies the migrations of this release to the database. Does not check or record the deployment, because a migration
 * needs only `DATABASE_URL`.
 */
export async function migrateDatabase(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const { close } = await prepareDatabase(config, {
    log,
    onDatabaseError: (error) => log.warn({ err: error }),
    renewal: createRenewal(),
  });
  await close();
}

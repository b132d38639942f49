import { setTimeout as wait } from 'node:timers/promises';
import { startEmbeddedPostgres } from '@badge/embedded-postgres';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { createLog } from './log.ts';
import { checkServer, type Database, type DatabaseConnection, openDatabase } from './storage/database.ts';
import { isDatabaseUnavailable } from './storage/database-errors.ts';
import { checkDeployment, type Deployment, recordDeployment } from './storage/deployment.ts';
import { isMigrated, migrate, needsMigration } from './storage/migrate.ts';
import { setPooledSettings } from './storage/pooler.ts';
import { printSchema } from './storage/print-schema.ts';
import { createReplacement, type Replacement } from './storage/replacement.ts';

const RETRY_MS = 250;
// A connection is replaced at this age, because it keeps the plans of its prepared statements. While the
// tables are small, PostgreSQL can choose plans that are slow for large ones.
const MAX_CONNECTION_AGE_SECONDS = 60;
// While a start waits for the database, the log repeats the reason at this interval.
const WAIT_LOG_INTERVAL_MS = 10_000;

interface PrepareOptions {
  log: Logger;
  onDatabaseError: (error: unknown) => void;
  replacement: Replacement;
  /** Ends the wait for the database. */
  stopSignal?: AbortSignal | undefined;
  /**
   * If it is set, it is compared with the database's record before anything is changed. The first start
   * records it.
   */
  deployment?: Deployment | undefined;
}

/** A database that is migrated to this release. */
export interface PreparedDatabase {
  /** Leads to the server itself. */
  connection: DatabaseConnection;
  /** Undefined if the configuration has no pooler. */
  pooler: DatabaseConnection | undefined;
  /** Connects through the pooler, if there is one. */
  database: Database;
  /** Closes the connections, and stops the embedded PostgreSQL if there is one. */
  close(): Promise<void>;
}

/**
 * Opens the database of the configuration, or starts the embedded one. Waits until it can be used, checks
 * that it belongs to this deployment, and migrates it. With a pooler, also sets the settings of the role.
 */
export async function prepareDatabase(config: Config, options: PrepareOptions): Promise<PreparedDatabase> {
  const { log, onDatabaseError, replacement } = options;
  const postgres =
    config.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: config.dataDir, name: 'badge', log })
      : undefined;
  const connection = postgres?.connection ?? { connectionString: config.databaseUrl ?? '' };
  try {
    // `prepareServer` is repeated as a whole, because the connection can be lost at any step. Each step can
    // be repeated.
    await waitForDatabase(() => prepareServer(connection, config, options), config, options);
  } catch (error) {
    await postgres
      ?.stop()
      .catch((stopError: unknown) => log.error({ err: stopError }, 'the database was not stopped cleanly'));
    throw error;
  }
  const pooler =
    config.poolerUrl === undefined ? undefined : { connectionString: config.poolerUrl, isPooler: true };
  const database = openDatabase(pooler ?? connection, onDatabaseError, {
    replacement,
    maxAgeSeconds: MAX_CONNECTION_AGE_SECONDS,
  });
  const close = async () => {
    await database.destroy().finally(() => postgres?.stop());
  };
  return { connection, pooler, database, close };
}

async function prepareServer(
  connection: DatabaseConnection,
  config: Config,
  options: PrepareOptions,
): Promise<void> {
  const { log, onDatabaseError, replacement, deployment } = options;
  const database = openDatabase(connection, onDatabaseError, { connections: 1, replacement });
  try {
    await checkServer(database);
    if (deployment !== undefined) await checkDeployment(database, deployment);
    if (await needsMigration(database)) {
      // A migration has no statement timeout.
      const migrator = openDatabase(connection, onDatabaseError, { connections: 1, statementTimeoutMs: 0 });
      const migrations = await migrate(migrator).finally(() => migrator.destroy());
      if (migrations.length > 0) log.info({ migrations }, 'migrated the database');
    }
    if (config.poolerUrl !== undefined) {
      const settings = await setPooledSettings(database);
      if (settings.length > 0) log.info({ settings }, 'set the settings of the role for the pooler');
    }
    if (deployment !== undefined) await recordDeployment(database, deployment);
  } finally {
    await database.destroy();
  }
}

/**
 * Calls `work`, and calls it again while it fails because the database is unavailable, for at most
 * `databaseWaitMs`. A server that is starting, or that is a standby, also counts as unavailable.
 */
export async function waitForDatabase(
  work: () => Promise<void>,
  { databaseWaitMs }: Config,
  { log, stopSignal }: Pick<PrepareOptions, 'log' | 'stopSignal'>,
): Promise<void> {
  const deadlineMs = performance.now() + databaseWaitMs;
  let logged: { reason: string; atMs: number } | undefined;
  for (;;) {
    try {
      await work();
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
 * Applies the migrations of this release to the database. Does not check or record the deployment, because a
 * migration does not need the variables of the deployment.
 */
export async function migrateDatabase(config: Config): Promise<void> {
  const { close } = await prepareForCommand(config);
  await close();
}

/** Migrates the database, and returns its tables as SQL. */
export async function printDatabaseSchema(config: Config): Promise<string> {
  const { database, close } = await prepareForCommand(config);
  return await printSchema(database).finally(close);
}

async function prepareForCommand(config: Config): Promise<PreparedDatabase> {
  const log = createLog(config.logLevel);
  return await prepareDatabase(config, {
    log,
    onDatabaseError: (error) => log.warn({ err: error }),
    replacement: createReplacement(),
  });
}

/**
 * Waits, without a limit, until another process has migrated the database to this release. Changes nothing. A
 * process that starts after that has nothing to migrate.
 */
export async function waitForMigration(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const connection = { connectionString: config.databaseUrl ?? '' };
  const database = openDatabase(connection, () => undefined, {
    connections: 1,
    replacement: createReplacement(),
  });
  const findReason = async () => {
    try {
      return (await isMigrated(database)) ? null : 'the migrations of this release have not run';
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      return String(error);
    }
  };
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  try {
    for (;;) {
      const reason = await findReason();
      if (reason === null) return;
      if (performance.now() - loggedAtMs >= WAIT_LOG_INTERVAL_MS) {
        log.info({ reason }, 'waiting for `migrate` of another process');
        loggedAtMs = performance.now();
      }
      await wait(RETRY_MS);
    }
  } finally {
    await database.destroy();
  }
}

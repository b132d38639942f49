import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgresError, visitEmbeddedPostgres } from '@badge/embedded-postgres';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { curveImplementation } from '../signatures/recover-signer.ts';
import { type DatabaseConnection, isRejectedByPooler } from '../storage/database.ts';
import { describeConnection, readDatabaseFacts } from '../storage/inspection.ts';
import { type Finding, ok, problem } from './finding.ts';
import { inspectConfiguration } from './inspect-configuration.ts';
import { inspectDatabase, POOLER_BEHIND_DATABASE_URL } from './inspect-database.ts';
import { inspectDirectory, inspectFileOwner } from './inspect-disk.ts';
import { inspectDurability } from './inspect-durability.ts';
import { inspectKeys } from './inspect-keys.ts';
import { inspectPooler } from './inspect-pooler.ts';
import { inspectRuntime } from './inspect-runtime.ts';

const STARTED_FOR_CHECK = 'embedded, started for this check and stopped';

/** Inspects the configuration, keys, disk and database. Changes nothing. */
export async function inspectInstallation(env?: Record<string, string | undefined>): Promise<Finding[]> {
  const runtime = inspectRuntime({ nodeVersion: process.versions.node, curveImplementation });
  try {
    const config = readConfig(env);
    return [
      ...runtime,
      ...inspectConfiguration(config),
      ...(await inspectKeys(config)),
      ...(await inspectDirectory('data directory', config.dataDir)),
      ...(await inspectDirectory('upload directory', tmpdir())),
      ...(await inspectConfiguredDatabase(config)),
    ];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'correct it; the other checks need a valid configuration';
    return [...runtime, ...error.errors.map((message) => problem('configuration', message, advice))];
  }
}

async function inspectConfiguredDatabase(config: Config): Promise<Finding[]> {
  if (config.databaseUrl !== undefined) {
    const connection = { connectionString: config.databaseUrl };
    const findings = await inspectServer(connection, 'DATABASE_URL', config);
    if (config.poolerUrl === undefined) return findings;
    return [...findings, await inspectPooler(connection, config.poolerUrl)];
  }
  const findings = await inspectFileOwner(join(config.dataDir, 'postgres'));
  if (findings.some(({ level }) => level === 'problem')) return findings;
  return [...findings, ...(await inspectEmbedded(config))];
}

async function inspectEmbedded(config: Config): Promise<Finding[]> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  try {
    const visit = await visitEmbeddedPostgres({ dataDir: config.dataDir, name: 'badge', log });
    if (visit === null) return [ok('database', 'not created yet: the first start creates the embedded one')];
    try {
      const kind = visit.hasStartedServer ? STARTED_FOR_CHECK : 'embedded, running';
      return await inspectServer(visit.connection, kind, config);
    } finally {
      await visit.leave();
    }
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError)) throw error;
    return [problem('database', error.message, 'read postgres.log in BADGE_DATA_DIR, or set DATABASE_URL')];
  }
}

async function inspectServer(
  connection: DatabaseConnection,
  kind: string,
  config: Config,
): Promise<Finding[]> {
  const isEmbedded = !('connectionString' in connection);
  try {
    const facts = await readDatabaseFacts(connection);
    // If doctor had to start the server, no service is using the database.
    const isInUse = kind !== STARTED_FOR_CHECK;
    return [
      ok('database', `${describeConnection(connection)} (${kind})`),
      ...inspectDatabase(facts, { isInUse, hasPooler: config.poolerUrl !== undefined, configured: config }),
      ...inspectDurability(facts, { isEmbedded }),
    ];
  } catch (error) {
    if (isRejectedByPooler(error)) return [POOLER_BEHIND_DATABASE_URL];
    const reason =
      error instanceof AggregateError ? error.errors.map(String).join('; ') : (error as Error).message;
    return [
      problem(
        'database',
        `cannot be reached: ${reason}`,
        'check that it is running and that DATABASE_URL is right',
      ),
    ];
  }
}

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgresError, useOrStartEmbeddedPostgres } from '@badge/embedded-postgres';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { curve } from '../signatures/curve.ts';
import type { DatabaseConnection } from '../storage/database.ts';
import { isRejectedByPooler } from '../storage/database-errors.ts';
import { type DatabaseFacts, describeConnection, readDatabaseFacts } from '../storage/inspection.ts';
import { VERSION } from '../version.ts';
import { readInstalledWebBuild } from '../web-build.ts';
import { type Finding, ok, problem } from './finding.ts';
import { inspectBackup } from './inspect-backup.ts';
import { inspectChains } from './inspect-chains.ts';
import { inspectConfiguration } from './inspect-configuration.ts';
import { inspectDatabase, POOLER_AS_DATABASE_URL } from './inspect-database.ts';
import { inspectDirectory, inspectFileOwner } from './inspect-disk.ts';
import { inspectDurability } from './inspect-durability.ts';
import { inspectEncryption, inspectWebhookSecrets } from './inspect-encryption.ts';
import { inspectIssuerKeys } from './inspect-issuer-keys.ts';
import { inspectKeptBadges } from './inspect-kept-badges.ts';
import { inspectKeys } from './inspect-keys.ts';
import { inspectManagedCreators } from './inspect-managed-creators.ts';
import { inspectPooler } from './inspect-pooler.ts';
import { inspectRuntime } from './inspect-runtime.ts';

/**
 * Inspects the runtime, configuration, keys, disk, database, pooler, seeds, encryption key and endpoints of
 * chains. Changes no settings, keys or data. If the embedded PostgreSQL does not run, starts it
 * and stops it again, which writes to the data directory.
 */
export async function inspectInstallation(env?: Record<string, string | undefined>): Promise<Finding[]> {
  const runtime = inspectRuntime({
    version: VERSION,
    nodeVersion: process.versions.node,
    curveImplementation: curve.name,
    hasWebPages: (await readInstalledWebBuild()) !== null,
  });
  try {
    const config = readConfig(env);
    return [
      ...runtime,
      ...inspectConfiguration(config),
      ...(await inspectKeys(config)),
      ...(await inspectDirectory('data directory', config.dataDir)),
      ...(await inspectDirectory('upload directory', tmpdir())),
      ...(await inspectConfiguredDatabase(config)),
      ...(await inspectBackup(config)),
      ...(await inspectChains(config)),
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
    const findings = await inspectServer(connection, config, { origin: 'DATABASE_URL', isInUse: true });
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
    const server = await useOrStartEmbeddedPostgres({ dataDir: config.dataDir, name: 'badge', log });
    if (server === null) return [ok('database', 'not created yet: the first start creates the embedded one')];
    try {
      // If doctor had to start the server, no service is using the database.
      const isInUse = !server.hasStartedServer;
      const origin = isInUse ? 'embedded, running' : 'embedded, started for this check and stopped';
      return await inspectServer(server.connection, config, { origin, isInUse });
    } finally {
      await server.end();
    }
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError)) throw error;
    return [problem('database', error.message, 'read postgres.log in BADGE_DATA_DIR, or set DATABASE_URL')];
  }
}

async function inspectServer(
  connection: DatabaseConnection,
  config: Config,
  { origin, isInUse }: { origin: string; isInUse: boolean },
): Promise<Finding[]> {
  const isEmbedded = !('connectionString' in connection);
  let facts: DatabaseFacts;
  try {
    facts = await readDatabaseFacts(connection);
  } catch (error) {
    if (isRejectedByPooler(error)) return [POOLER_AS_DATABASE_URL];
    // If a host has several addresses and none accepts a connection, the AggregateError contains one error
    // for each.
    const reason =
      error instanceof AggregateError ? error.errors.map(String).join('; ') : (error as Error).message;
    const advice = isEmbedded
      ? 'read postgres.log in BADGE_DATA_DIR'
      : 'check that the server is running, and that DATABASE_URL is right';
    return [problem('database', `cannot be read: ${reason}`, advice)];
  }
  return [
    ok('database', `${describeConnection(connection)} (${origin})`),
    ...inspectDatabase(facts, { isInUse, hasPooler: config.poolerUrl !== undefined, configured: config }),
    ...inspectDurability(facts, { isEmbedded }),
    inspectManagedCreators(facts, config),
    inspectIssuerKeys(facts, config),
    inspectKeptBadges(facts, config),
    inspectEncryption(facts, config),
    ...inspectWebhookSecrets(facts),
  ];
}

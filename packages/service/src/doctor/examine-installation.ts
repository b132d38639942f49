import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgresError, visitEmbeddedPostgres } from '@badge/embedded-postgres';
import { type Config, ConfigError, readConfig } from '../config.ts';
import { curveImplementation } from '../signatures/recover-signer.ts';
import type { DatabaseConnection } from '../storage/database.ts';
import { describeConnection, inspectDatabase } from '../storage/inspection.ts';
import { checkConfiguration } from './check-configuration.ts';
import { checkDatabase } from './check-database.ts';
import { checkDirectory, checkFilesOwner } from './check-disk.ts';
import { checkDurability } from './check-durability.ts';
import { checkKeys } from './check-keys.ts';
import { checkRuntime } from './check-runtime.ts';
import { type Finding, ok, problem } from './finding.ts';

/** Looks at all that an installation depends on, and changes nothing; an error of one check does not end the rest. */
export async function examineInstallation(env?: Record<string, string | undefined>): Promise<Finding[]> {
  const runtime = checkRuntime({ nodeVersion: process.versions.node, curveImplementation });
  try {
    const config = readConfig(env);
    return [
      ...runtime,
      ...checkConfiguration(config),
      ...(await checkKeys(config)),
      ...(await checkDirectory('data directory', config.dataDir)),
      ...(await checkDirectory('uploads on their way', tmpdir())),
      ...(await examineDatabase(config)),
    ];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'correct it: the rest is checked once the configuration is right';
    return [...runtime, ...error.errors.map((message) => problem('configuration', message, advice))];
  }
}

async function examineDatabase(config: Config): Promise<Finding[]> {
  if (config.databaseUrl !== undefined) {
    return await examineConnection({ connectionString: config.databaseUrl }, 'DATABASE_URL');
  }
  const findings = await checkFilesOwner(join(config.dataDir, 'postgres'));
  if (findings.some(({ level }) => level === 'problem')) return findings;
  return [...findings, ...(await examineEmbedded(config.dataDir))];
}

async function examineEmbedded(dataDir: string): Promise<Finding[]> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  try {
    const visit = await visitEmbeddedPostgres({ dataDir, name: 'badge', log });
    if (visit === null) return [ok('database', 'none yet: the first start makes the embedded one')];
    try {
      const kind = visit.isStarted ? 'embedded, started for this check and stopped' : 'embedded, running';
      return await examineConnection(visit.connection, kind);
    } finally {
      await visit.leave();
    }
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError)) throw error;
    return [problem('database', error.message, 'read postgres.log in BADGE_DATA_DIR, or set DATABASE_URL')];
  }
}

async function examineConnection(connection: DatabaseConnection, kind: string): Promise<Finding[]> {
  const isEmbedded = !('connectionString' in connection);
  try {
    const facts = await inspectDatabase(connection);
    return [
      ok('database', `${describeConnection(connection)} (${kind})`),
      ...checkDatabase(facts, { isServed: !kind.includes('started') }),
      ...checkDurability(facts, { isEmbedded }),
    ];
  } catch (error) {
    const reason =
      error instanceof AggregateError ? error.errors.map(String).join('; ') : (error as Error).message;
    return [problem('database', `out of reach: ${reason}`, 'see that it runs, and DATABASE_URL is right')];
  }
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@badge/embedded-postgres';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../storage/database.ts';
import { migrate } from '../storage/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** An address of the run's PostgreSQL server, whose database names are made by `createDatabase`. */
    serverUrl: string;
  }
}

export const TEMPLATE_DATABASE = 'badge_template';
const SILENT_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Vitest's global setup: one real PostgreSQL for the run, with a migrated template for each file's own database. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'badge-test-'));
  const postgres = await startEmbeddedPostgres({ dataDir, name: 'badge', log: SILENT_LOG });
  const { host, port, user } = postgres.connection;
  const serverUrl = `postgres://${user}@localhost:${port}/?host=${encodeURIComponent(host)}`;
  project.provide('serverUrl', serverUrl);

  const client = new pg.Client({ ...postgres.connection });
  await client.connect();
  await client.query(`create database ${TEMPLATE_DATABASE}`);
  await client.end();
  const template = openDatabase({ ...postgres.connection, database: TEMPLATE_DATABASE }, () => undefined);
  await migrate(template);
  await template.destroy();

  return async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true });
  };
}

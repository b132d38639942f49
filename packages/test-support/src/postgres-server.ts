import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@badge/embedded-postgres';
import type { TestProject } from 'vitest/node';
import { spawnBadge } from './badge-process.ts';
import { query } from './sql.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the run's PostgreSQL server, on which `createDatabase` creates databases. */
    serverUrl: string;
    /** The name of a migrated database, which `createDatabase` copies. */
    templateDatabase: string;
  }
}

const TEMPLATE_DATABASE = 'badge_template';
const SILENT_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };

interface Server {
  url: string;
  tearDown(): Promise<void>;
}

// Vitest loads this module once for each project, in one process. The projects share the server.
const shared = globalThis as { badgeTestServer?: { server: Promise<Server>; users: number } };

/**
 * A global setup of Vitest: starts one PostgreSQL for all projects of the run, with a migrated template
 * database.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  shared.badgeTestServer ??= { server: startServer(), users: 0 };
  const { badgeTestServer: use } = shared;
  use.users += 1;
  const { url, tearDown } = await use.server;
  project.provide('serverUrl', url);
  project.provide('templateDatabase', TEMPLATE_DATABASE);
  return async () => {
    use.users -= 1;
    if (use.users === 0) await tearDown();
  };
}

async function startServer(): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), 'badge-test-'));
  const postgres = await startEmbeddedPostgres({
    dataDir,
    name: 'badge',
    log: SILENT_LOG,
    // Four test files run at the same time, and each can have several services.
    maxConnections: 400,
  });
  const tearDown = async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true });
  };
  const { host, port, user } = postgres.connection;
  const urlOf = (database: string) =>
    `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  try {
    // The data need not survive a crash of the machine.
    for (const setting of ['fsync = off', 'full_page_writes = off', 'autovacuum = off']) {
      await query(urlOf('postgres'), `alter system set ${setting}`);
    }
    await query(urlOf('postgres'), 'select pg_reload_conf()');
    await query(urlOf('postgres'), `create database ${TEMPLATE_DATABASE}`);
    const migration = spawnBadge({ DATABASE_URL: urlOf(TEMPLATE_DATABASE) }, { command: 'migrate' });
    if ((await migration.closed) !== 0) throw new Error(`badge migrate failed:\n${migration.output.stderr}`);
  } catch (error) {
    await tearDown();
    throw error;
  }
  return { url: urlOf(''), tearDown };
}

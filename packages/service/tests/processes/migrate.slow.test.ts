import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLog } from '@badge/test-support/badge-process';
import { createDatabase } from '@badge/test-support/databases';
import {
  expectNothingRuns,
  makeDataDir,
  spawnTestBadge,
  startTestBadge,
  WAIT_OPTIONS,
} from '@badge/test-support/fixtures';
import { holdLock, query } from '@badge/test-support/sql';
import { expect, test, vi } from 'vitest';
import { MIGRATIONS } from '../../src/storage/migrations/migrations.ts';
import { createToken } from '../../src/testing/creations.ts';

const NAMES = Object.keys(MIGRATIONS);
const command = 'migrate';

async function listMigrations(databaseUrl: string): Promise<string[]> {
  const rows = await query<{ name: string }>(databaseUrl, 'select name from kysely_migration order by name');
  return rows.map(({ name }) => name);
}

// The setup of all tests also runs `badge migrate`.
test('migrate applies the migrations once, and exits', async () => {
  const databaseUrl = await createDatabase('empty');
  async function migrateAndReadLog() {
    const badge = spawnTestBadge({ DATABASE_URL: databaseUrl }, { command });
    expect(await badge.closed).toBe(0);
    expect(badge.output.stdout).toBe('');
    expect(await listMigrations(databaseUrl)).toEqual(NAMES);
    return readLog(badge.output.stderr);
  }
  expect(await migrateAndReadLog()).toMatchObject([{ msg: 'migrated the database', migrations: NAMES }]);
  expect(await migrateAndReadLog()).toEqual([]);
});

test('migrate starts the embedded database, migrates it and stops it', async () => {
  const dataDir = await makeDataDir();
  const badge = spawnTestBadge({ BADGE_DATA_DIR: dataDir }, { command });
  expect(await badge.closed).toBe(0);
  expect(readLog(badge.output.stderr)).toContainEqual(expect.objectContaining({ migrations: NAMES }));
  await expectNothingRuns(dataDir);
});

test('migrate tries again if it loses its database connection', async () => {
  const databaseUrl = await createDatabase('empty');
  const first = spawnTestBadge({ DATABASE_URL: databaseUrl }, { command });
  expect(await first.closed).toBe(0);
  const release = await holdLock(databaseUrl, 'kysely_migration', 'access exclusive');
  const second = spawnTestBadge({ DATABASE_URL: databaseUrl }, { command });
  await vi.waitFor(async () => {
    const ended = await query(
      databaseUrl,
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    expect(ended).not.toEqual([]);
  }, WAIT_OPTIONS);
  await release();
  expect(await second.closed).toBe(0);
  expect(readLog(second.output.stderr)).toContainEqual(
    expect.objectContaining({ msg: 'waiting for the database' }),
  );
});

// As in deploy/kubernetes: a Job migrates, and each process waits for it. Both know only the database's URL,
// from a file.
test('migrate --wait ends when another process has migrated the database, and changes nothing', async () => {
  const databaseUrl = await createDatabase('empty');
  const file = join(await makeDataDir(), '../database-url');
  await writeFile(file, `${databaseUrl}\n`, { mode: 0o600 });
  const env = { DATABASE_URL_FILE: file, BADGE_ROLE: 'worker' };
  const waiting = spawnTestBadge(env, { command: 'migrate', args: ['--wait'] });
  await vi.waitFor(() => {
    expect(readLog(waiting.output.stderr)).toMatchObject([
      { reason: 'the migrations of this release have not run' },
    ]);
  }, WAIT_OPTIONS);
  expect(
    await query(
      databaseUrl,
      "select 1 from pg_tables where schemaname <> 'pg_catalog' and schemaname <> 'information_schema'",
    ),
  ).toEqual([]);
  expect(await spawnTestBadge(env, { command }).closed).toBe(0);
  expect(await waiting.closed).toBe(0);
  expect(await listMigrations(databaseUrl)).toEqual(NAMES);
  // The next one has nothing to wait for, and says nothing.
  const next = spawnTestBadge(env, { command: 'migrate', args: ['--wait'] });
  expect([await next.closed, next.output.stderr]).toEqual([0, '']);
});

test('several services that start on one empty database migrate it once, and all start', async () => {
  const databaseUrl = await createDatabase('empty');
  const parent = await makeDataDir();
  const services = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      startTestBadge({ DATABASE_URL: databaseUrl, BADGE_DATA_DIR: join(parent, name) }),
    ),
  );
  const migrations = services.flatMap(({ output }) =>
    readLog(output.stderr).flatMap((line) => line.migrations ?? []),
  );
  expect(migrations).toEqual(NAMES);
  expect(await listMigrations(databaseUrl)).toEqual(NAMES);
  for (const [index, service] of services.entries()) {
    expect(await createToken(service)).toMatchObject({ resourceId: index + 1 });
  }
  for (const service of services) expect(await service.end('SIGTERM')).toBe(0);
});

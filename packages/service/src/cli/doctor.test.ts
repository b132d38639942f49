import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@badge/embedded-postgres';
import {
  embeddedDatabaseUrl,
  expectNothingRuns,
  makeDataDir,
  PATIENCE,
  spawnTestBadge,
  startTestBadge,
} from '@badge/test-support/fixtures';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeKey } from '../domain/api-keys/rules.ts';
import { query } from '../testing/databases.ts';

const command = 'doctor';
// How full the disks are depends on the machine.
const OF_THE_MACHINE = /^\w+ +(data directory|uploads)/;

async function startPostgres(dataDir: string) {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const postgres = await startEmbeddedPostgres({ dataDir, name: 'badge', log });
  onTestFinished(() => postgres.stop());
  return postgres;
}

async function examine(env: Record<string, string>, options: { uid?: number; gid?: number } = {}) {
  const badge = spawnTestBadge(env, { command, ...options });
  const exitCode = await badge.closed;
  expect(badge.output.stderr).toBe('');
  const lines = badge.output.stdout.trimEnd().split('\n');
  const complaints = lines
    .slice(0, -1)
    .filter((line) => !line.startsWith('ok ') && !OF_THE_MACHINE.test(line))
    .map((line) => line.split(':')[0]?.replace(/ +/, ' '));
  return { exitCode, complaints, text: badge.output.stdout };
}

test('a data directory that is not there yet is not made', async () => {
  const dataDir = await makeDataDir();
  const { exitCode, complaints, text } = await examine({ BADGE_DATA_DIR: dataDir });
  expect({ exitCode, complaints }).toEqual({ exitCode: 0, complaints: [] });
  expect(text).toContain('database: none yet');
  expect(await stat(dataDir).catch(() => 'not made')).toBe('not made');
});

test('the embedded database is asked where a service runs, and else started and stopped', async () => {
  const dataDir = await makeDataDir();
  const service = await startTestBadge({ BADGE_DATA_DIR: dataDir });
  const running = await examine({ BADGE_DATA_DIR: dataDir });
  expect(running).toMatchObject({ exitCode: 0, complaints: [] });
  expect(running.text).toMatch(/^ok {7}database: badge at .+ \(embedded, running\)$/m);
  expect(running.text).not.toContain(service.apiKey);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  expect(await service.end('SIGTERM')).toBe(0);

  const stopped = await examine({ BADGE_DATA_DIR: dataDir });
  expect(stopped).toMatchObject({ exitCode: 0, complaints: [] });
  expect(stopped.text).toContain('(embedded, started for this check and stopped)');
  await expectNothingRuns(dataDir);
});

test('a server whose settings endanger what is committed', async () => {
  const dataDir = await makeDataDir();
  const settings = { archive_mode: 'on', archive_command: 'true' };
  const first = await startPostgres(dataDir);
  const url = embeddedDatabaseUrl(dataDir);
  for (const [name, value] of Object.entries(settings)) {
    await query(url, `alter system set ${name} = '${value}'`);
  }
  await first.stop();
  await startPostgres(dataDir);
  const env = {
    DATABASE_URL: url.replace('badge@', 'badge:geheim@'),
    BADGE_DATA_DIR: join(dataDir, 'service'),
    BADGE_ADMIN_KEY: makeKey('admin'),
  };
  expect(await examine(env)).toMatchObject({ exitCode: 0, complaints: ['warning migrations'] });
  expect(await spawnTestBadge(env, { command: 'migrate' }).closed).toBe(0);
  expect(await examine(env)).toMatchObject({ exitCode: 0, complaints: [] });

  for (const setting of [
    'fsync = off',
    'full_page_writes = off',
    'autovacuum = off',
    "synchronous_standby_names = 'elsewhere'",
    "archive_command = 'false'",
  ]) {
    await query(url, `alter system set ${setting}`);
  }
  await query(url, 'select pg_reload_conf()');
  await query(url, 'select pg_switch_wal()');
  await vi.waitFor(async () => {
    const [row] = await query(url, 'select failed_count > 0 as failed from pg_stat_archiver');
    expect(row).toEqual({ failed: true });
  }, PATIENCE);
  const { exitCode, complaints, text } = await examine(env);
  expect(exitCode).toBe(1);
  expect(complaints).toEqual([
    'problem fsync',
    'problem full_page_writes',
    'warning autovacuum',
    'problem synchronous_standby_names',
    'problem WAL archive',
  ]);
  for (const secret of ['geheim', env.BADGE_ADMIN_KEY]) expect(text).not.toContain(secret);
});

test('a server without an archive has no restore to a point in time', async () => {
  const dataDir = await makeDataDir();
  await startPostgres(dataDir);
  const env = { DATABASE_URL: embeddedDatabaseUrl(dataDir), BADGE_DATA_DIR: dataDir };
  expect(await examine(env)).toMatchObject({
    exitCode: 0,
    complaints: ['warning BADGE_ADMIN_KEY', 'warning migrations', 'warning WAL archive'],
  });
});

test('a database out of reach, and every bad variable, are told without a secret', async () => {
  const dataDir = await makeDataDir();
  const env = { BADGE_DATA_DIR: dataDir, BADGE_ADMIN_KEY: makeKey('admin') };
  const unreachable = await examine({ ...env, DATABASE_URL: 'postgres://badge:geheim@127.0.0.1:1/badge' });
  expect(unreachable).toMatchObject({ exitCode: 1, complaints: ['problem database'] });
  expect(unreachable.text).not.toContain('geheim');

  const bad = await examine({ ...env, PORT: 'http', LOG_LEVEL: 'loud', DATABASE_URL: 'badge:geheim@host' });
  expect(bad).toMatchObject({ exitCode: 1, complaints: Array(3).fill('problem configuration') });
  for (const name of ['PORT', 'LOG_LEVEL', 'DATABASE_URL']) expect(bad.text).toContain(`${name} must be`);
  expect(bad.text).not.toContain('geheim');
});

test('files of another major version, and what is no database, are told', async () => {
  const dataDir = await makeDataDir();
  const service = await startTestBadge({ BADGE_DATA_DIR: dataDir });
  expect(await service.end('SIGTERM')).toBe(0);
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '14\n');
  const { exitCode, complaints, text } = await examine({ BADGE_DATA_DIR: dataDir });
  expect({ exitCode, complaints }).toEqual({ exitCode: 1, complaints: ['problem database'] });
  expect(text).toContain('made by PostgreSQL 14');
});

test.runIf(process.getuid?.() === 0)("another user's installation is told, and not touched", async () => {
  const dataDir = await makeDataDir();
  const service = await startTestBadge({ BADGE_DATA_DIR: dataDir });
  await chmod(dataDir, 0o755);
  const other = await examine({ BADGE_DATA_DIR: dataDir }, { uid: 1000, gid: 1000 });
  expect(other.exitCode).toBe(1);
  expect(other.text).toMatch(/^problem {2}data directory: /m);
  expect(other.complaints).toEqual([
    'problem BADGE_ADMIN_KEY',
    'problem BADGE_DEMO_API_KEY',
    'problem database files',
  ]);
  expect(await service.end('SIGTERM')).toBe(0);
});

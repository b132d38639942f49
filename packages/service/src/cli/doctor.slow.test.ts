import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@badge/embedded-postgres';
import {
  embeddedDatabaseUrl,
  expectNothingRuns,
  makeDataDir,
  spawnTestBadge,
  startTestBadge,
  WAIT_OPTIONS,
} from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeKey } from '../domain/api-keys/rules.ts';
import { runDoctor } from '../testing/run-doctor.ts';

async function startPostgres(dataDir: string) {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const postgres = await startEmbeddedPostgres({ dataDir, name: 'badge', log });
  onTestFinished(() => postgres.stop());
  return postgres;
}

test('doctor does not create a missing data directory', async () => {
  const dataDir = await makeDataDir();
  const { exitCode, complaints, text } = await runDoctor({ BADGE_DATA_DIR: dataDir });
  expect({ exitCode, complaints }).toEqual({ exitCode: 0, complaints: [] });
  expect(text).toContain('database: not created yet');
  expect(await stat(dataDir).catch(() => 'missing')).toBe('missing');
});

test('doctor reports an unreachable database and every invalid variable, without secrets', async () => {
  const dataDir = await makeDataDir();
  const env = { BADGE_DATA_DIR: dataDir, BADGE_ADMIN_KEY: makeKey('admin') };
  const unreachable = await runDoctor({
    ...env,
    DATABASE_URL: 'postgres://badge:secret-password@127.0.0.1:1/badge',
  });
  expect(unreachable).toMatchObject({ exitCode: 1, complaints: ['problem database'] });
  expect(unreachable.text).toMatch(
    /^problem {2}database: cannot be read: .*ECONNREFUSED.* DATABASE_URL is right$/m,
  );
  expect(unreachable.text).not.toContain('secret-password');

  const invalid = await runDoctor({
    ...env,
    PORT: 'http',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'badge:secret-password@host',
  });
  expect(invalid).toMatchObject({ exitCode: 1, complaints: Array(3).fill('problem configuration') });
  for (const name of ['PORT', 'LOG_LEVEL', 'DATABASE_URL']) expect(invalid.text).toContain(`${name} must be`);
  expect(invalid.text).not.toContain('secret-password');
});

test('doctor uses the embedded server if it runs; otherwise it starts the server and stops it', async () => {
  const dataDir = await makeDataDir();
  const service = await startTestBadge({ BADGE_DATA_DIR: dataDir });
  const running = await runDoctor({ BADGE_DATA_DIR: dataDir });
  expect(running).toMatchObject({ exitCode: 0, complaints: [] });
  expect(running.text).toMatch(/^ok {7}database: badge at .+ \(embedded, running\)$/m);
  expect(running.text).not.toContain(service.apiKey);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  expect(await service.end('SIGTERM')).toBe(0);

  const stopped = await runDoctor({ BADGE_DATA_DIR: dataDir });
  expect(stopped).toMatchObject({ exitCode: 0, complaints: [] });
  expect(stopped.text).toContain('(embedded, started for this check and stopped)');
  await expectNothingRuns(dataDir);
});

test('doctor reports dangerous settings of the server, and a WAL archive that fails', async () => {
  const dataDir = await makeDataDir();
  // The server must be restarted after a change of archive_mode.
  const settings = { archive_mode: 'on', archive_command: 'true' };
  const first = await startPostgres(dataDir);
  const url = embeddedDatabaseUrl(dataDir);
  for (const [name, value] of Object.entries(settings)) {
    await query(url, `alter system set ${name} = '${value}'`);
  }
  await first.stop();
  await startPostgres(dataDir);
  const env = {
    DATABASE_URL: url.replace('badge@', 'badge:secret-password@'),
    BADGE_DATA_DIR: join(dataDir, 'service'),
    BADGE_ADMIN_KEY: makeKey('admin'),
  };
  expect(await runDoctor(env)).toMatchObject({ exitCode: 0, complaints: ['warning migrations'] });
  expect(await spawnTestBadge(env, { command: 'migrate' }).closed).toBe(0);
  expect(await runDoctor(env)).toMatchObject({ exitCode: 0, complaints: [] });

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
  await vi.waitFor(async () => {
    // Makes the server archive a WAL file. The first one can still be archived with the former
    // archive_command.
    await query(url, "select pg_logical_emit_message(false, '', ''), pg_switch_wal()");
    const [row] = await query(url, 'select failed_count > 0 as failed from pg_stat_archiver');
    expect(row).toEqual({ failed: true });
  }, WAIT_OPTIONS);
  const { exitCode, complaints, text } = await runDoctor(env);
  expect(exitCode).toBe(1);
  expect(complaints).toEqual([
    'problem fsync',
    'problem full_page_writes',
    'warning autovacuum',
    'problem synchronous_standby_names',
    'problem WAL archive',
  ]);
  for (const secret of ['secret-password', env.BADGE_ADMIN_KEY]) expect(text).not.toContain(secret);
});

test('doctor warns about a server without a WAL archive', async () => {
  const dataDir = await makeDataDir();
  await startPostgres(dataDir);
  const env = { DATABASE_URL: embeddedDatabaseUrl(dataDir), BADGE_DATA_DIR: dataDir };
  expect(await runDoctor(env)).toMatchObject({
    exitCode: 0,
    complaints: ['warning BADGE_ADMIN_KEY', 'warning migrations', 'warning WAL archive'],
  });
});

test('doctor does not mention DATABASE_URL if a query of the embedded database fails', async () => {
  const dataDir = await makeDataDir();
  await startPostgres(dataDir);
  await query(embeddedDatabaseUrl(dataDir), 'create table kysely_migration ()');
  const { exitCode, complaints, text } = await runDoctor({ BADGE_DATA_DIR: dataDir });
  expect({ exitCode, complaints }).toEqual({ exitCode: 1, complaints: ['problem database'] });
  expect(text).toMatch(
    /^problem {2}database: cannot be read: column .* does not exist\. To do: .*postgres\.log/m,
  );
  expect(text).not.toContain('DATABASE_URL');
});

test('doctor reports database files of another major version of PostgreSQL', async () => {
  const dataDir = await makeDataDir();
  const service = await startTestBadge({ BADGE_DATA_DIR: dataDir });
  expect(await service.end('SIGTERM')).toBe(0);
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '14\n');
  const { exitCode, complaints, text } = await runDoctor({ BADGE_DATA_DIR: dataDir });
  expect({ exitCode, complaints }).toEqual({ exitCode: 1, complaints: ['problem database'] });
  expect(text).toContain('made by PostgreSQL 14');
});

test.runIf(process.getuid?.() === 0)(
  "doctor reports another user's installation, and the service keeps running",
  async () => {
    const dataDir = await makeDataDir();
    const service = await startTestBadge({ BADGE_DATA_DIR: dataDir });
    await chmod(dataDir, 0o755);
    const other = await runDoctor({ BADGE_DATA_DIR: dataDir }, { uid: 1000, gid: 1000 });
    expect(other.exitCode).toBe(1);
    expect(other.text).toMatch(/^problem {2}data directory: /m);
    expect(other.complaints).toEqual([
      'problem BADGE_ADMIN_KEY',
      'problem BADGE_DEMO_API_KEY',
      'problem database files',
    ]);
    expect(await service.end('SIGTERM')).toBe(0);
  },
);

test.runIf(process.getuid?.() === 0)(
  'doctor advises the owner of unreadable database files to make them readable',
  async () => {
    const dataDir = await makeDataDir();
    const filesDir = join(dataDir, 'postgres');
    await mkdir(filesDir, { recursive: true });
    for (const directory of [dataDir, filesDir]) await chown(directory, 1000, 1000);
    await chmod(dataDir, 0o700);
    await chmod(filesDir, 0);
    const { exitCode, text } = await runDoctor({ BADGE_DATA_DIR: dataDir }, { uid: 1000, gid: 1000 });
    expect(exitCode).toBe(1);
    expect(text).toContain(`user 1000 cannot read ${filesDir}. To do: chmod 700 ${filesDir}`);
  },
);

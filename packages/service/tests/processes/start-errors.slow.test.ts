import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { BadgeProcess } from '@badge/test-support/badge-process';
import { createDatabase } from '@badge/test-support/databases';
import {
  expectCleanStop,
  expectNothingRuns,
  makeDataDir,
  spawnTestBadge,
  startTestBadge,
} from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { expect, onTestFinished, test } from 'vitest';
import { makeKey } from '../../src/domain/api-keys/rules.ts';
import { createToken } from '../../src/testing/creations.ts';

const CONTRACT = '0x2000000000000000000000000000000000000002';
const SANDBOX_CONTRACT = `0x1${'0'.repeat(38)}1`;
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/**
 * Checks that a start has left the data directory as `makeDataDir` returns it: a path at which nothing
 * exists.
 */
async function expectNotCreated(dataDir: string): Promise<void> {
  await expect(readdir(dataDir)).rejects.toThrow('ENOENT');
}

/** Waits until a process has failed to start, and returns the one line that it printed besides the log. */
async function readStartError(badge: BadgeProcess, exitCode: number): Promise<string> {
  expect(await badge.closed, badge.output.stderr).toBe(exitCode);
  expect(badge.output.stdout).toBe('');
  const [line = '', ...more] = badge.output.stderr.split('\n').filter((text) => !text.startsWith('{'));
  expect(more).toEqual(['']);
  return line;
}

test('a second service on a data directory does not start, and the first continues', async () => {
  const dataDir = await makeDataDir();
  const first = await startTestBadge({ BADGE_DATA_DIR: dataDir });
  const second = spawnTestBadge({ BADGE_DATA_DIR: dataDir, PORT: '0' });
  expect(await readStartError(second, 1)).toBe(
    `badge: another service (process ${first.pid}) uses the data directory ${dataDir}; stop it, use another data directory, or let both use one PostgreSQL server. Set BADGE_DATA_DIR to use another data directory, or DATABASE_URL to use another PostgreSQL server.`,
  );
  await createToken(first);
  expect(await first.end('SIGTERM')).toBe(0);
  expectCleanStop(first);
  await expectNothingRuns(dataDir);
});

test('a service whose port is in use does not start, and leaves nothing running', async () => {
  const dataDir = await makeDataDir();
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const badge = spawnTestBadge({ BADGE_DATA_DIR: dataDir, PORT: String(port) });
  expect(await readStartError(badge, 1)).toMatch(
    new RegExp(`^badge: .*EADDRINUSE.* 127\\.0\\.0\\.1:${port}\\. .* set PORT to a free one\\.$`),
  );
  await expectNothingRuns(dataDir);
});

test.for([
  [{ PORT: 'abc', BADGE_ENVIRONMENT: 'prod' }, ['PORT', 'BADGE_ENVIRONMENT']],
  [{ BADGE_ENVIRONMENT: 'production' }, ['BADGE_VERIFYING_CONTRACT']],
  [{ BADGE_ENVIRONMENT: 'production', BADGE_VERIFYING_CONTRACT: ZERO_ADDRESS }, ['BADGE_VERIFYING_CONTRACT']],
  [
    { BADGE_ENVIRONMENT: 'production', BADGE_VERIFYING_CONTRACT: SANDBOX_CONTRACT },
    ['BADGE_VERIFYING_CONTRACT'],
  ],
] as [Record<string, string>, string[]][])(
  'serve rejects %j and names the variable',
  async ([env, names]) => {
    const dataDir = await makeDataDir();
    const line = await readStartError(spawnTestBadge({ BADGE_DATA_DIR: dataDir, ...env }), 2);
    expect(line).toMatch(/^badge: /);
    for (const name of names) expect(line).toContain(`${name} must be `);
    await expectNotCreated(dataDir);
  },
);

test('production requires a configured operator key, creates no community, prints no key, shows its metrics only to the operator, and warns if it is exposed', async () => {
  const dataDir = await makeDataDir();
  const databaseUrl = await createDatabase('empty');
  const production = { BADGE_ENVIRONMENT: 'production', BADGE_VERIFYING_CONTRACT: CONTRACT };
  const keyFile = join(await makeDataDir('secrets'), 'operator');
  await mkdir(dirname(keyFile), { recursive: true });
  await writeFile(keyFile, `${makeKey('admin')}\n`);
  await chmod(keyFile, 0o644);
  const env = { BADGE_DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...production };
  const withoutKey = await readStartError(spawnTestBadge(env), 2);
  expect(withoutKey).toContain('BADGE_ADMIN_KEY or BADGE_ADMIN_KEY_FILE must be set');
  const service = await startTestBadge({ ...env, BADGE_ADMIN_KEY_FILE: keyFile, HOST: '0.0.0.0' });
  const [counts] = await query(
    databaseUrl,
    `select (select count(*) from communities)::integer as communities,
            (select count(*) from api_keys)::integer as keys`,
  );
  expect(counts).toEqual({ communities: 0, keys: 0 });
  await expectNotCreated(dataDir);
  expect(service.output.stderr).toContain('other users can read the file of a secret');
  expect(service.output.stderr).toContain('other machines can connect without a proxy');
  expect(service.output.stderr).not.toContain("the operator's key can be guessed");

  const adminKey = (await readFile(keyFile, 'utf8')).trim();
  const readMetrics = (headers: Record<string, string>) => fetch(`${service.url}/metrics`, { headers });
  expect((await readMetrics({})).status).toBe(401);
  expect((await readMetrics({ Authorization: `Bearer ${adminKey.slice(0, -1)}` })).status).toBe(401);
  const response = await readMetrics({ Authorization: `Bearer ${adminKey}` });
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('badge_operations_pending 0');

  expect(await service.end('SIGTERM')).toBe(0);
  expect(service.output.stdout + service.output.stderr).not.toMatch(/badge_(sandbox|production|admin)_/);
});

test('only production warns at its start if the operator has chosen a key that can be guessed', async () => {
  const weak = { BADGE_ADMIN_KEY: 'passwordpassword' };
  const start = async (env: Record<string, string>) =>
    await startTestBadge({
      BADGE_DATA_DIR: await makeDataDir(),
      DATABASE_URL: await createDatabase('empty'),
      ...weak,
      ...env,
    });
  const production = await start({
    BADGE_ENVIRONMENT: 'production',
    BADGE_VERIFYING_CONTRACT: CONTRACT,
  });
  expect(production.output.stderr).toContain("the operator's key can be guessed");
  expect(production.output.stderr).not.toContain(weak.BADGE_ADMIN_KEY);
  const sandbox = await start({});
  expect(sandbox.output.stderr).not.toContain("the operator's key can be guessed");
  for (const badge of [production, sandbox]) expect(await badge.end('SIGTERM')).toBe(0);
});

test.for(['serve', 'migrate'])('%s rejects a database that a newer release has migrated', async (command) => {
  const databaseUrl = await createDatabase();
  await query(databaseUrl, `insert into kysely_migration values ('9999-later', now()::text)`);
  const env = { BADGE_DATA_DIR: await makeDataDir(), DATABASE_URL: databaseUrl, PORT: '0' };
  const badge = spawnTestBadge(env, { command });
  expect(await readStartError(badge, 1)).toBe(
    'badge: The database is newer than this service: it has the migration 9999-later. Run the newer release.',
  );
});

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BadgeProcess } from '@badge/test-support/badge-process';
import { createDatabase } from '@badge/test-support/databases';
import { spawnTestBadge, waitForBlockedStatements } from '@badge/test-support/fixtures';
import { holdLock, query } from '@badge/test-support/sql';
import { beforeAll, expect, test } from 'vitest';
import { carryKeys, configOf, exportTo, importFrom } from '../../src/testing/archives.ts';
import { startFilledService } from '../../src/testing/filled-installation.ts';

let dataDir: string;
let databaseUrl: string;
let archive: string;

beforeAll(async () => {
  const source = await startFilledService();
  ({ databaseUrl } = source);
  dataDir = await carryKeys(source.dataDir);
  await source.stop();
  archive = join(dataDir, 'archive.tar');
  await exportTo(archive, configOf(dataDir, databaseUrl));
});

function run(command: 'export' | 'import', file: string, env: NodeJS.ProcessEnv): BadgeProcess {
  return spawnTestBadge({ BADGE_DATA_DIR: dataDir, ...env }, { command, args: [file] });
}

/** Kills a command when it waits for the last table. */
async function killAtEnd(command: 'export' | 'import', file: string, url: string): Promise<void> {
  const release = await holdLock(url, 'audit_log', 'access exclusive');
  const badge = run(command, file, { DATABASE_URL: url });
  await waitForBlockedStatements(url, 1);
  expect(await badge.end('SIGKILL')).toBe('SIGKILL');
  await release();
}

const expectSame = async (file: string) =>
  expect((await readFile(file)).equals(await readFile(archive))).toBe(true);

test('kill -9 of an export leaves no archive, and the next export is complete', async () => {
  const file = join(dataDir, 'killed.tar');
  await killAtEnd('export', file, databaseUrl);
  expect((await stat(`${file}.part`)).size).toBeGreaterThan(0);
  await expect(stat(file)).rejects.toThrow(/ENOENT/);
  const badge = run('export', file, { DATABASE_URL: databaseUrl });
  expect(await badge.closed).toBe(0);
  await expectSame(file);
  await expect(stat(`${file}.part`)).rejects.toThrow(/ENOENT/);
});

test('kill -9 of an import leaves an empty database, and the next import is complete', async () => {
  const url = await createDatabase();
  await killAtEnd('import', archive, url);
  await expect
    .poll(() => query(url, 'select from communities union all select from deployment'))
    .toHaveLength(0);
  await importFrom(archive, configOf(dataDir, url));
  const file = join(dataDir, 'imported.tar');
  await exportTo(file, configOf(dataDir, url));
  await expectSame(file);
});

test('an empty data directory becomes the installation, also after kill -9 of the first import', async () => {
  const emptyDir = await carryKeys(dataDir);
  const env = { BADGE_DATA_DIR: emptyDir };
  const killed = run('import', archive, env);
  await killed.waitForLog('migrated the database');
  expect(await killed.end('SIGKILL')).toBe('SIGKILL');
  const imported = run('import', archive, env);
  expect(await imported.closed, imported.output.stderr).toBe(0);
  expect(imported.output.stdout).toMatch(/lines were imported, and every signature is right\n$/);
  const file = join(emptyDir, 'again.tar');
  const exported = run('export', file, env);
  expect(await exported.closed, exported.output.stderr).toBe(0);
  await expectSame(file);
  const again = run('import', archive, env);
  expect(await again.closed).toBe(1);
  expect(again.output.stderr).toMatch(/^badge: the database is not empty/m);
});

test('a service that is started during an import waits for its end', async () => {
  const url = await createDatabase();
  const release = await holdLock(url, 'audit_log', 'access exclusive');
  const importing = run('import', archive, { DATABASE_URL: url });
  await waitForBlockedStatements(url, 1);
  // Its transaction stays open.
  importing.signal('SIGSTOP');
  await release();
  const starting = spawnTestBadge({ BADGE_DATA_DIR: dataDir, DATABASE_URL: url, PORT: '0' });
  const { reason } = await starting.waitForLog('waiting for the database');
  expect(reason).toBe('Error: An archive is imported into the database: wait until it is complete.');
  importing.signal('SIGCONT');
  expect(await importing.closed, importing.output.stderr).toBe(0);
  const service = await starting.ready();
  const response = await fetch(`${service.url}/v1/tokens/1`);
  expect(response.status).toBe(200);
  await service.stop();
});

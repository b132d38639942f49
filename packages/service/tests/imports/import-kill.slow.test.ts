import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BadgeProcess } from '@badge/test-support/badge-process';
import { spawnTestBadge, waitForBlockedStatements } from '@badge/test-support/fixtures';
import { newAddress } from '@badge/test-support/signing';
import { holdLock, query } from '@badge/test-support/sql';
import { countWrongTokenCounts } from '@badge/test-support/token-counts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../src/testing/services.ts';

const PEOPLE = 700;
let service: TestService;
let file: string;
let mapping: string;

beforeAll(async () => {
  service = await startTestService();
  file = join(service.dataDir, 'people.csv');
  mapping = join(service.dataDir, 'mapping.json');
  const lines = ['First', 'Second'].flatMap((badge) =>
    Array.from({ length: PEOPLE }, () => `${badge},${newAddress()},2024-01-31`),
  );
  await writeFile(file, ['Badge,Wallet,Date', ...lines, ''].join('\n'));
  await writeFile(mapping, JSON.stringify({ headline: 'Badge', person: 'Wallet', claimedAt: 'Date' }));
});
afterAll(async () => await service.stop());

function runImport(): BadgeProcess {
  const options = ['--from', 'csv', '--community', 'demo', '--creator', newAddress(), '--mapping', mapping];
  const env = { BADGE_DATA_DIR: service.dataDir, DATABASE_URL: service.databaseUrl };
  return spawnTestBadge(env, { command: 'import', args: [...options, file] });
}

const count = async (table: string) =>
  (await query<{ rows: number }>(service.databaseUrl, `select count(*)::integer as rows from ${table}`))[0]
    ?.rows;

test('kill -9 in the middle of a chunk leaves nothing of it, and the next import does the rest', async () => {
  // The service itself writes no claims. The entries of the list are inserted before them.
  const release = await holdLock(service.databaseUrl, 'claims', 'share');
  const killed = runImport();
  await waitForBlockedStatements(service.databaseUrl, 1);
  expect(await killed.end('SIGKILL')).toBe('SIGKILL');
  await release();
  // The server notices later that the process is gone.
  const locks = `select from pg_locks join pg_database d on d.oid = database
    where datname = current_database() and relation = 'claims'::regclass and pid <> pg_backend_pid()`;
  await expect.poll(() => query(service.databaseUrl, locks), { timeout: 20_000 }).toEqual([]);
  expect([await count('tokens'), await count('allowlist_entries'), await count('claims')]).toEqual([1, 0, 0]);

  const next = runImport();
  expect(await next.closed, next.output.stderr).toBe(0);
  const tables = ['tokens', 'claims', 'allowlist_entries', 'recipients'];
  const rows = [2, 2 * PEOPLE, 2 * PEOPLE, 2 * PEOPLE];
  expect(await Promise.all(tables.map(count))).toEqual(rows);
  const last = runImport();
  expect(await last.closed).toBe(0);
  expect(await Promise.all(tables.map(count))).toEqual(rows);
  expect(await countWrongTokenCounts(service.databaseUrl)).toBe(0);
});

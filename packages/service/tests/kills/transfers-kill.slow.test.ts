import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BadgeImport, CommunityExport, Operation } from '@badge/protocol';
import type { BadgeService } from '@badge/test-support/badge-process';
import { createDatabase } from '@badge/test-support/databases';
import { startTestBadge, WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { newAddress } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { countWrongTokenCounts } from '@badge/test-support/token-counts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeKey } from '../../src/domain/api-keys/rules.ts';
import { readWithTar } from '../../src/testing/archives.ts';
import { importForm, waitForTransfers } from '../../src/testing/transfers.ts';

const TOKENS = 60;
const PEOPLE_OF_A_TOKEN = 20;
const COMMUNITY = '/v1/communities/demo';

const adminKey = makeKey('admin');
let databaseUrl: string;
let dataDir: string;
let temporaryDir: string;
beforeAll(async () => {
  databaseUrl = await createDatabase();
  dataDir = await mkdtemp(join(tmpdir(), 'badge-kills-'));
  temporaryDir = join(dataDir, 'tmp');
  await mkdir(temporaryDir);
});
afterAll(async () => await rm(dataDir, { recursive: true }));

const startService = () =>
  startTestBadge({
    DATABASE_URL: databaseUrl,
    BADGE_DATA_DIR: dataDir,
    BADGE_ADMIN_KEY: adminKey,
    TMPDIR: temporaryDir,
  });
const call = (service: BadgeService, path: string, init: RequestInit = {}) =>
  fetch(service.url + path, { ...init, headers: { ...init.headers, 'X-API-Key': adminKey } });
const count = async (text: string) => {
  const [row] = await query<{ count: number }>(databaseUrl, `select count(*)::integer as count ${text}`);
  return row?.count ?? 0;
};

/**
 * Requests a transfer, and kills the only process at a moment. Returns what another process, which begins
 * when the lease has ended, makes of it.
 */
async function transferWithKill<T>(
  noun: 'exports' | 'imports',
  request: RequestInit,
  isMoment: () => Promise<boolean>,
): Promise<{ service: BadgeService; transfer: T }> {
  const killed = await startService();
  const response = await call(killed, `${COMMUNITY}/${noun}`, { method: 'POST', ...request });
  expect(response.status).toBe(202);
  const folders = async () =>
    (await readdir(temporaryDir)).filter((name) => name.startsWith('badge-transfer-'));
  await vi.waitFor(async () => expect([await isMoment(), (await folders()).length]).toEqual([true, 1]), {
    ...WAIT_OPTIONS,
    interval: 1,
  });
  expect(await killed.end('SIGKILL')).toBe('SIGKILL');
  await query(databaseUrl, 'update transfers set leased_until = now()');
  const service = await startService();
  const settled = await call(service, `${response.headers.get('location')}?wait=30`);
  const { resourceId } = (await settled.json()) as Operation;
  await waitForTransfers({ databaseUrl });
  await vi.waitFor(async () => expect(await folders()).toEqual([]), WAIT_OPTIONS);
  const read = await call(service, `${COMMUNITY}/${noun}/${resourceId}`);
  return { service, transfer: (await read.json()) as T };
}

test('an import whose process is killed is begun again, and each line is imported once', {
  timeout: 180_000,
}, async () => {
  const rows = Array.from({ length: TOKENS }, (_, token) =>
    Array.from({ length: PEOPLE_OF_A_TOKEN }, () => `${token},Token ${token},${newAddress()},claimed`),
  ).flat();
  const body = importForm({}, `badgeId,headline,address,status\n${rows.join('\n')}\n`);
  const { service, transfer } = await transferWithKill<BadgeImport>(
    'imports',
    { body },
    async () => (await count('from claims')) > 0,
  );
  await service.stop();
  expect(transfer).toMatchObject({ status: 'success', problemCount: 0 });
  expect(transfer.skipped).toBeGreaterThan(0);
  expect(transfer.imported + transfer.skipped).toBe(transfer.lines);
  expect(await count('from tokens')).toBe(TOKENS);
  expect(await count('from claims')).toBe(TOKENS * PEOPLE_OF_A_TOKEN);
  expect(await countWrongTokenCounts(databaseUrl)).toBe(0);
  expect(await count("from audit_log where action = 'import'")).toBe(1);
});

test('an export whose process is killed is made by another one', { timeout: 180_000 }, async () => {
  const { service, transfer } = await transferWithKill<CommunityExport>(
    'exports',
    { body: JSON.stringify({ people: 'none' }), headers: { 'Content-Type': 'application/json' } },
    async () => (await count("from transfers where status = 'processing'")) > 0,
  );
  expect(transfer.status).toBe('success');
  const { pathname, search } = new URL(transfer.downloadUrl ?? '');
  const file = join(await mkdtemp(join(tmpdir(), 'badge-test-')), 'archive.tar');
  await writeFile(file, Buffer.from(await (await call(service, pathname + search)).arrayBuffer()));
  await service.stop();
  const owners = (await readWithTar(file, 'owners.ndjson')).split('\n').slice(0, -1);
  expect(owners).toHaveLength(TOKENS * PEOPLE_OF_A_TOKEN);
  // What the killed process has written is rolled back.
  expect(await count('from assets where asset_id not in (select asset_id from nft_types)')).toBe(1);
});

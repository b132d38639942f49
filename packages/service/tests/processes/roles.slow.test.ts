import { readdir, readFile, readlink } from 'node:fs/promises';
import type { BadgeService } from '@badge/test-support/badge-process';
import { createDatabase } from '@badge/test-support/databases';
import { makeDataDir, startTestBadge } from '@badge/test-support/fixtures';
import { signedToken } from '@badge/test-support/signing';
import { expect, test } from 'vitest';
import { postToken, readOperation } from '../../src/testing/creations.ts';
import { VERSION } from '../../src/version.ts';

async function startOn(databaseUrl: string, env: Record<string, string>): Promise<BadgeService> {
  return await startTestBadge({ DATABASE_URL: databaseUrl, BADGE_DATA_DIR: await makeDataDir(), ...env });
}

async function requestToken(service: BadgeService): Promise<string> {
  const response = await postToken(service, await signedToken());
  expect(response.status).toBe(202);
  return response.headers.get('location') ?? '';
}

/** Returns the addresses that a process listens on, from /proc. */
async function listListeners(pid: number): Promise<string[]> {
  const handles = await readdir(`/proc/${pid}/fd`);
  const sockets = await Promise.all(handles.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8')),
  );
  // Of each row, the local address, the state and the inode of the socket are used. The state 0A is LISTEN.
  const rows = tables.flatMap((table) => table.split('\n')).map((row) => row.trim().split(/\s+/));
  return rows.flatMap(([, address = '', , state, , , , , , inode]) =>
    state === '0A' && sockets.includes(`socket:[${inode}]`) ? [address] : [],
  );
}

test('an api process accepts an operation, a worker settles it, and a request with `wait` gets its response at once', async () => {
  const databaseUrl = await createDatabase('empty');
  const api = await startOn(databaseUrl, { BADGE_ROLE: 'api' });
  const early = await requestToken(api);
  const waiting = readOperation(api, early);
  const worker = await startOn(databaseUrl, { BADGE_ROLE: 'worker', PORT: '' });
  expect(await waiting).toMatchObject({ status: 'success', resourceId: 1 });

  // Both processes poll once per second, so a response within half a second needs notifications. Three such
  // responses are enough, because the machine may be busy.
  const durationsMs: number[] = [];
  for (let resourceId = 2; resourceId <= 12; resourceId += 1) {
    const body = await signedToken();
    const beganMs = performance.now();
    const location = (await postToken(api, body)).headers.get('location') ?? '';
    expect(await readOperation(api, location)).toMatchObject({ status: 'success', resourceId });
    durationsMs.push(performance.now() - beganMs);
  }
  expect(durationsMs.filter((durationMs) => durationMs < 500).length).toBeGreaterThanOrEqual(3);
  expect(worker.output.stdout).toBe('');
  expect(await worker.end('SIGTERM')).toBe(0);

  const late = await requestToken(api);
  expect(await (await fetch(api.url + late)).json()).toMatchObject({ status: 'pending', resourceId: null });
  expect(await api.end('SIGTERM')).toBe(0);
});

test.runIf(process.platform === 'linux')('a worker without PORT does not listen', async () => {
  const databaseUrl = await createDatabase();
  const [api, worker] = await Promise.all([
    startOn(databaseUrl, { BADGE_ROLE: 'api' }),
    startOn(databaseUrl, { BADGE_ROLE: 'worker', PORT: '' }),
  ]);
  expect(await listListeners(api.pid)).toHaveLength(1);
  expect(await listListeners(worker.pid)).toEqual([]);
});

test('a worker with PORT serves only the health endpoints', async () => {
  const databaseUrl = await createDatabase();
  const worker = await startOn(databaseUrl, { BADGE_ROLE: 'worker' });
  const api = await startOn(databaseUrl, { BADGE_ROLE: 'api' });
  await readOperation(api, await requestToken(api));
  expect(await (await fetch(`${worker.url}/healthz`)).json()).toEqual({ status: 'ok', version: VERSION });
  expect(await (await fetch(`${worker.url}/readyz`)).json()).toEqual({ status: 'ready' });
  expect(await (await fetch(`${worker.url}/metrics`)).text()).toContain('badge_operations_settled_total 1');
  for (const path of ['/v1/tokens', '/v1/environment', '/openapi.json', '/docs', '/images/token/1.png']) {
    expect((await fetch(api.url + path)).status).toBe(200);
    expect((await fetch(worker.url + path)).status).toBe(404);
  }
  expect((await postToken({ ...worker, apiKey: api.apiKey }, await signedToken())).status).toBe(404);
});

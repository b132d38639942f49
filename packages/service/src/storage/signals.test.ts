import { createDatabase } from '@badge/test-support/databases';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from '../testing/services.ts';

let api: TestService;
let worker: TestService;

beforeAll(async () => {
  const databaseUrl = await createDatabase();
  api = await startTestService({ DATABASE_URL: databaseUrl, BADGE_ROLE: 'api' });
  worker = await startTestService({ DATABASE_URL: databaseUrl, BADGE_ROLE: 'worker', PORT: '' });
  await waitForListeners();
});
afterAll(async () => {
  vi.useRealTimers();
  await Promise.all([api.stop(), worker.stop()]);
});

async function waitForListeners(): Promise<void> {
  const listeners =
    "select from pg_stat_activity where datname = current_database() and query = 'listen badge_operations_settled'";
  await vi.waitFor(async () => expect(await query(api.databaseUrl, listeners)).toHaveLength(2), {
    timeout: 10_000,
    interval: 20,
  });
}

async function createToken(): Promise<unknown> {
  const accepted = await api.call('/v1/tokens', { key: api.apiKey, json: await signedToken() });
  expect(accepted.status).toBe(202);
  return await (await api.call(`${accepted.headers.get('location')}?wait=30`)).json();
}

test('a worker without PORT opens no port', () => {
  expect(worker.port).toBeUndefined();
});

test('without timers, a process waits for operations that another process settles', async () => {
  expect(await createToken()).toMatchObject({ status: 'success', resourceId: 1 });
  // Both services run in this process, so fake timers stop them. Only the worker's last pause may still end.
  const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
  vi.useFakeTimers({ toFake: [...toFake], shouldClearNativeTimers: true });
  for (const resourceId of [2, 3, 4, 5, 6]) {
    expect(await createToken()).toMatchObject({ status: 'success', resourceId });
  }
});

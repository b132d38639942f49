import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { expect, test, vi } from 'vitest';
import { isolatedOperationsFixture, STATEMENT_TIMEOUT } from '../testing/isolated-operations-fixture.ts';

const fixture = isolatedOperationsFixture();
const { startWorker, accept, waitUntilFinal, statusOf, failInserts } = fixture;

const LOCK_TIMEOUT = '55P03';

vi.setConfig({ testTimeout: 120_000 });

const stopFailing = () => query(fixture.api.databaseUrl, 'drop trigger fail_insert on tokens');

async function waitForAttempts(attempts: number): Promise<void> {
  await vi.waitFor(async () => {
    const [row] = await query<{ attempts: number }>(
      fixture.api.databaseUrl,
      'select last_value::integer as attempts from attempts',
    );
    expect(row?.attempts).toBeGreaterThanOrEqual(attempts);
  }, WAIT_OPTIONS);
}

test('no operation ends in error while none can be settled', async () => {
  await failInserts('%', STATEMENT_TIMEOUT);
  const locations = await Promise.all(['one', 'two'].map(accept));
  await startWorker();
  // If every timeout counted, both operations would end in error after at most 12 attempts: each is attempted
  // once in a batch, and 5 times (MAX_TIMEOUTS) alone.
  await waitForAttempts(14);
  for (const location of locations) expect(await statusOf(location)).toBe('processing');
  await stopFailing();
  for (const location of locations) expect((await waitUntilFinal(location)).status).toBe('success');
});

test('an operation that repeatedly times out waiting for a lock does not end in error while others settle', async () => {
  await failInserts('locked', LOCK_TIMEOUT);
  const locked = await accept('locked');
  await startWorker();
  // The first attempt is in a batch. Attempts 2 to 6 are alone. If lock timeouts counted, attempt 6 would be
  // the fifth timeout (MAX_TIMEOUTS), and the operation would end in error.
  for (let attempts = 2; attempts <= 6; attempts += 1) {
    expect((await waitUntilFinal(await accept(`other ${attempts}`))).status).toBe('success');
    await waitForAttempts(attempts);
  }
  expect(await statusOf(locked)).toBe('processing');
  await stopFailing();
  expect((await waitUntilFinal(locked)).status).toBe('success');
});

test('the service accepts and settles operations while an isolated one is a day old', async () => {
  await failInserts('stuck', STATEMENT_TIMEOUT);
  const stuck = await accept('stuck');
  await startWorker();
  await vi.waitFor(async () => expect(await statusOf(stuck)).toBe('processing'), WAIT_OPTIONS);
  await query(fixture.api.databaseUrl, "update operations set created_at = now() - interval '1 day'");
  for (let others = 0; others < 3; others += 1) {
    expect((await waitUntilFinal(await accept(`other ${others}`))).status).toBe('success');
  }
  expect(await statusOf(stuck)).toBe('processing');
});

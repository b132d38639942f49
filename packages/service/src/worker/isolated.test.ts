import type { Operation } from '@badge/protocol';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from '../testing/services.ts';

// SQL states: PostgreSQL ended a statement that ran too long, or that waited too long for a lock.
const STATEMENT_TIMEOUT = '57014';
const LOCK_TIMEOUT = '55P03';

vi.setConfig({ testTimeout: 120_000 });

let api: TestService;
let worker: TestService | undefined;

beforeEach(async () => {
  api = await startTestService({ BADGE_ROLE: 'api' });
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
  await api.stop();
});

async function startWorker(): Promise<void> {
  worker = await startTestService({ DATABASE_URL: api.databaseUrl, BADGE_ROLE: 'worker', PORT: '' });
}

async function accept(headline: string): Promise<string> {
  const response = await api.call('/v1/tokens', { key: api.apiKey, json: await signedToken({ headline }) });
  expect(response.status).toBe(202);
  return response.headers.get('location') ?? '';
}

async function waitUntilFinal(location: string): Promise<Operation> {
  return (await (await api.call(`${location}?wait=30`)).json()) as Operation;
}
const statusOf = async (location: string) => ((await (await api.call(location)).json()) as Operation).status;

/** Makes inserts of tokens fail with an SQL state if the headline matches `headlinePattern`, a pattern for `like`. */
async function failInserts(headlinePattern: string, sqlState: string): Promise<void> {
  await query(api.databaseUrl, 'create sequence attempts');
  await query(
    api.databaseUrl,
    `create function fail_insert() returns trigger language plpgsql as $$ begin
       perform nextval('attempts');
       raise exception using errcode = '${sqlState}';
     end $$`,
  );
  await query(
    api.databaseUrl,
    `create trigger fail_insert before insert on tokens for each row
     when (new.headline like '${headlinePattern}') execute function fail_insert()`,
  );
}
const stopFailing = () => query(api.databaseUrl, 'drop trigger fail_insert on tokens');

async function waitForAttempts(attempts: number): Promise<void> {
  await vi.waitFor(async () => {
    const [row] = await query<{ attempts: number }>(
      api.databaseUrl,
      'select last_value::integer as attempts from attempts',
    );
    expect(row?.attempts).toBeGreaterThanOrEqual(attempts);
  }, WAIT_OPTIONS);
}

test('an operation that times out repeatedly ends in error, and does not delay others', async () => {
  await failInserts('stuck', STATEMENT_TIMEOUT);
  const before = await accept('before');
  const stuck = await accept('stuck');
  const after = await accept('after');
  await startWorker();
  expect((await waitUntilFinal(before)).status).toBe('success');
  expect((await waitUntilFinal(after)).status).toBe('success');

  let others = 0;
  await vi.waitFor(async () => {
    others += 1;
    expect((await waitUntilFinal(await accept(`other ${others}`))).status).toBe('success');
    expect(await statusOf(stuck)).toBe('error');
  }, WAIT_OPTIONS);
  expect((await waitUntilFinal(stuck)).error).toMatchObject({ name: 'InternalError' });
  // The ids have no gap: the tokens are `before`, `after` and the others.
  const tokens = await query(api.databaseUrl, 'select max(token_id)::integer as last from tokens');
  expect(tokens).toEqual([{ last: others + 2 }]);
});

test('no operation ends in error while none can be settled', { tags: ['slow'] }, async () => {
  await failInserts('%', STATEMENT_TIMEOUT);
  const locations = await Promise.all(['one', 'two'].map(accept));
  await startWorker();
  // If every timeout counted, both operations would end in error after at most 12 attempts: each is attempted once in a
  // batch, and 5 times (MAX_TIMEOUTS) alone.
  await waitForAttempts(14);
  for (const location of locations) expect(await statusOf(location)).toBe('processing');
  await stopFailing();
  for (const location of locations) expect((await waitUntilFinal(location)).status).toBe('success');
});

test('an operation that repeatedly times out waiting for a lock does not end in error while others settle', {
  tags: ['slow'],
}, async () => {
  await failInserts('locked', LOCK_TIMEOUT);
  const locked = await accept('locked');
  await startWorker();
  // The first attempt is in a batch. Attempts 2 to 6 are alone. If lock timeouts counted, attempt 6 would be the fifth
  // timeout (MAX_TIMEOUTS), and the operation would end in error.
  for (let attempts = 2; attempts <= 6; attempts += 1) {
    expect((await waitUntilFinal(await accept(`other ${attempts}`))).status).toBe('success');
    await waitForAttempts(attempts);
  }
  expect(await statusOf(locked)).toBe('processing');
  await stopFailing();
  expect((await waitUntilFinal(locked)).status).toBe('success');
});

test('the service accepts and settles operations while an isolated one is a day old', {
  tags: ['slow'],
}, async () => {
  await failInserts('stuck', STATEMENT_TIMEOUT);
  const stuck = await accept('stuck');
  await startWorker();
  await vi.waitFor(async () => expect(await statusOf(stuck)).toBe('processing'), WAIT_OPTIONS);
  await query(api.databaseUrl, "update operations set created_at = now() - interval '1 day'");
  for (let others = 0; others < 3; others += 1) {
    expect((await waitUntilFinal(await accept(`other ${others}`))).status).toBe('success');
  }
  expect(await statusOf(stuck)).toBe('processing');
});

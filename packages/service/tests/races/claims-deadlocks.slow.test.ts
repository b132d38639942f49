import type { Operation } from '@badge/protocol';
import { newAddress, signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startTestService, type TestService } from '../../src/testing/services.ts';

// Of 256 operations, the first and the 200th are claims of the first token. The others are airdrops of the
// second token. Each of two workers locks 128 operations, the oldest that are free. So one batch begins with
// a claim, and in the other batch airdrops come before the claim. If a worker locked the tokens in the order
// of its operations, the workers would deadlock. The test locks the first token until both workers wait for a
// lock.
test('two workers that settle claims and airdrops of two tokens do not deadlock', async () => {
  const api = await startTestService({ BADGE_ROLE: 'api' });
  const env = { BADGE_ROLE: 'worker', DATABASE_URL: api.databaseUrl };
  const accept = async (path: string, json: unknown): Promise<string> => {
    const response = await api.call(path, { json, key: api.apiKey });
    expect(response.status, await response.clone().text()).toBe(202);
    return response.headers.get('location') ?? '';
  };
  const operationOf = async (location: string): Promise<Operation> =>
    (await (await api.call(`${location}?wait=20`)).json()) as Operation;
  const create = async () => accept('/v1/tokens', await signedToken({ totalClaimCount: 1_000 }));

  const firstWorker = await startTestService(env);
  const created = await Promise.all([create(), create()]);
  const [first, second] = (await Promise.all(created.map(operationOf))).map(({ resourceId }) => resourceId);
  await firstWorker.stop();

  const claimFirst = () => accept(`/v1/tokens/${first}/claim`, { claimingAddress: newAddress() });
  const airdropSecond = () => accept(`/v1/tokens/${second}/airdrop`, { address: newAddress() });
  const locations = [
    await claimFirst(),
    ...(await Promise.all(Array.from({ length: 198 }, airdropSecond))),
    await claimFirst(),
    ...(await Promise.all(Array.from({ length: 56 }, airdropSecond))),
  ];

  const holder = new pg.Client(api.databaseUrl);
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from tokens where token_id = $1 for update', [first]);
  const waitForBlockedWorkers = async (count: number): Promise<void> => {
    let waiting = 0;
    while (waiting < count) {
      const [row] = await query<{ waiting: number }>(
        api.databaseUrl,
        `select count(*)::integer as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      waiting = row?.waiting ?? 0;
    }
  };
  const workers: TestService[] = [];
  for (const count of [1, 2]) {
    workers.push(await startTestService(env));
    await waitForBlockedWorkers(count);
  }
  await holder.query('commit');
  await holder.end();

  const operations = await Promise.all(locations.map(operationOf));
  expect(new Set(operations.map(({ status }) => status))).toEqual(new Set(['success']));

  // A connection reports its deadlocks at the latest when it closes.
  await Promise.all([api, ...workers].map((service) => service.stop()));
  const [statistics] = await query<{ deadlocks: number }>(
    api.databaseUrl,
    'select deadlocks::integer from pg_stat_database where datname = current_database()',
  );
  expect(statistics?.deadlocks).toBe(0);
});

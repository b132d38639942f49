import type { Operation } from '@badge/protocol';
import { expect, test } from 'vitest';
import { query } from '../testing/databases.ts';
import { startTestService } from '../testing/services.ts';
import { signedToken } from '../testing/signed-tokens.ts';

const OPERATIONS = 600;

test('claims, airdrops and creations that two workers settle together do not deadlock', async () => {
  const api = await startTestService({ BADGE_ROLE: 'api' });
  const env = { BADGE_ROLE: 'worker', DATABASE_URL: api.databaseUrl };
  const accept = async (path: string, json: unknown): Promise<string> => {
    const answer = await api.call(path, { json, key: api.apiKey });
    expect(answer.status, await answer.clone().text()).toBe(202);
    return answer.headers.get('location') ?? '';
  };
  const operationOf = async (location: string): Promise<Operation> =>
    (await (await api.call(`${location}?wait=20`)).json()) as Operation;

  const firstWorker = await startTestService(env);
  const open = { totalClaimCount: OPERATIONS };
  const tokens = [await signedToken(open), await signedToken(open)];
  const created = await Promise.all(tokens.map((body) => accept('/v1/tokens', body)));
  const tokenIds = (await Promise.all(created.map(operationOf))).map(({ resourceId }) => resourceId);
  await firstWorker.stop();

  // They wait until both workers are there, so that each takes sets of every kind in another order.
  const locations = await Promise.all(
    Array.from({ length: OPERATIONS }, async (_, index) => {
      if (index % 3 === 0) return await accept('/v1/tokens', await signedToken());
      const path = `/v1/tokens/${tokenIds[index % 2]}`;
      const address = `0x${(index + 1).toString(16).padStart(40, '0')}`;
      if (index % 3 === 1) return await accept(`${path}/claim`, { claimingAddress: address });
      return await accept(`${path}/airdrop`, { address });
    }),
  );
  const workers = await Promise.all([startTestService(env), startTestService(env)]);
  const operations = await Promise.all(locations.map(operationOf));
  expect(new Set(operations.map(({ status }) => status))).toEqual(new Set(['success']));

  // A connection reports its deadlocks at the latest when it ends.
  await Promise.all([api, ...workers].map((service) => service.stop()));
  const [statistics] = await query<{ deadlocks: number }>(
    api.databaseUrl,
    'select deadlocks::integer from pg_stat_database where datname = current_database()',
  );
  expect(statistics?.deadlocks).toBe(0);
});

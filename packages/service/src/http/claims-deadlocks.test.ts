import type { Operation } from '@badge/protocol';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startTestService } from '../testing/services.ts';

type Kind = 'creation' | 'claimOfFirstToken' | 'airdropOfSecondToken';

// Of 128 operations, the first and the last are of the kind `outer`, and the others of the kind `inner`. Each of two
// workers settles a batch of 64, so one of them starts with `outer` and the other ends with it. If they locked rows in the
// order of the operations, they would deadlock. `lockOuter` locks the row of `outer` until both workers wait for a lock.
test.each<[string, string, Kind, Kind]>([
  [
    'claims and creations',
    'select from token_counter where $1::bigint > 0 for update',
    'creation',
    'claimOfFirstToken',
  ],
  [
    'claims and airdrops of two tokens',
    'select from tokens where token_id = $1 for update',
    'claimOfFirstToken',
    'airdropOfSecondToken',
  ],
])('two workers that settle %s do not deadlock', async (_title, lockOuter, outer, inner) => {
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

  let accepted = 0;
  const request = async (kind: Kind): Promise<string> => {
    accepted += 1;
    const address = `0x${accepted.toString(16).padStart(40, '0')}`;
    if (kind === 'creation') return await create();
    return kind === 'claimOfFirstToken'
      ? await accept(`/v1/tokens/${first}/claim`, { claimingAddress: address })
      : await accept(`/v1/tokens/${second}/airdrop`, { address });
  };
  const locations = [
    await request(outer),
    ...(await Promise.all(Array.from({ length: 126 }, () => request(inner)))),
    await request(outer),
  ];

  const holder = new pg.Client(api.databaseUrl);
  await holder.connect();
  await holder.query('begin');
  await holder.query(lockOuter, [first]);
  const workers = await Promise.all([startTestService(env), startTestService(env)]);
  let waiting = 0;
  while (waiting < 2) {
    const [row] = await query<{ waiting: number }>(
      api.databaseUrl,
      `select count(*)::integer as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    waiting = row?.waiting ?? 0;
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

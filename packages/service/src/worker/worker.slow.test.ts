import { query } from '@badge/test-support/sql';
import { expect, test, vi } from 'vitest';
import { newBodies, workerFixture } from '../testing/worker-fixture.ts';

const fixture = workerFixture();
const { startWorker, accept, waitUntilFinal, listTokenIds, holdTokenCounter, waitForBlockedWorker } = fixture;

// The JSON of requests must stay readable: after an upgrade, a worker settles what 1.0.0 accepted.
const EARLIER_REQUESTS = [
  {
    type: 'createToken',
    request: {
      creator: 'ab'.repeat(20),
      headline: 'earlier',
      description: '',
      startTimestamp: null,
      endTimestamp: null,
      links: [],
      nftTypeId: 'defaultOrangeRed',
      assetContentType: null,
      isSignatureRequired: false,
      isAllowlistRequired: true,
      totalClaimCount: null,
      expirationTimestamp: null,
      customAttributes: [],
      signature: '22'.repeat(65),
      evidence: null,
      typedDataVersion: 'badge/1',
      contributors: [{ key: '0c'.repeat(32), identifier: 'ada' }],
      criteria: null,
      claimableFromTimestamp: null,
    },
  },
  { type: 'addContributors', request: { tokenId: 1, contributors: [{ key: 'cd'.repeat(20) }] } },
  {
    type: 'claim',
    request: {
      tokenId: 1,
      address: 'cd'.repeat(20),
      identifierKey: null,
      isAllowlistBypassed: false,
      claimLinkId: null,
      clientHash: null,
    },
  },
  {
    type: 'claim',
    request: {
      tokenId: 1,
      address: 'ef'.repeat(20),
      identifierKey: '0c'.repeat(32),
      isAllowlistBypassed: false,
      claimLinkId: null,
      clientHash: null,
    },
  },
  { type: 'burn', request: { tokenId: 1, address: 'cd'.repeat(20) } },
];

test('operations that an earlier release accepted are settled', async () => {
  await startWorker();
  // One by one, because each operation needs the results of those before it.
  for (const { type, request } of EARLIER_REQUESTS) {
    const [operation] = await query<{ operation_id: string }>(
      fixture.api.databaseUrl,
      `with accepted as (
         insert into operations (operation_id, operation_type, community_id, request, request_bytes)
         values (gen_random_uuid(), $1, 'demo', $2, 100) returning operation_id
       )
       select operation_id, pg_notify('badge_operations_accepted', '') from accepted`,
      [type, JSON.stringify(request)],
    );
    expect(await waitUntilFinal(`/v1/operations/${operation?.operation_id}`)).toMatchObject({
      status: 'success',
    });
  }
  // Address cd… has burnt its token, so ef… is the only owner.
  const owners = await (await fixture.api.call('/v1/tokens/1/owners')).json();
  expect(owners).toMatchObject({ data: [{ address: expect.stringMatching(/^0x(ef){20}$/i) }] });
});

test('small tables are analyzed after 2,000 operations', async () => {
  await query(
    fixture.api.databaseUrl,
    `insert into operations (operation_id, operation_type, community_id, request, request_bytes)
     select gen_random_uuid(), 'burn', community_id, '{"tokenId": 1, "address": ""}', 100
     from communities cross join generate_series(1, 2000)`,
  );
  await startWorker();
  const analyzed = "select from pg_stat_user_tables where relname = 'operations' and analyze_count > 0";
  await vi.waitFor(async () => expect(await query(fixture.api.databaseUrl, analyzed)).toHaveLength(1), {
    timeout: 20_000,
    interval: 100,
  });
});

/**
 * Ends all connections to the database, and allows new ones after the api process has noticed that it has
 * none.
 */
async function loseEveryConnection(): Promise<void> {
  const url = new URL(fixture.api.databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  await query(url.href, `alter database ${name} allow_connections false`);
  await query(url.href, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  await vi.waitFor(
    async () =>
      expect(await query(url.href, 'select from pg_stat_activity where datname = $1', [name])).toEqual([]),
    { timeout: 10_000, interval: 20 },
  );
  await vi.waitFor(async () => expect((await fixture.api.call('/readyz')).status).toBe(503), {
    timeout: 10_000,
    interval: 20,
  });
  await query(url.href, `alter database ${name} allow_connections true`);
}

test('a worker that loses the database during a batch settles the batch once after it reconnects', async () => {
  const lockClient = await holdTokenCounter();
  lockClient.on('error', () => undefined);
  const locations = await Promise.all((await newBodies(10)).map(accept));
  await startWorker();
  await waitForBlockedWorker();
  await loseEveryConnection();
  const operations = await Promise.all(locations.map(waitUntilFinal));
  expect(operations.map(({ status, error }) => ({ status, error }))).toEqual(
    locations.map(() => ({ status: 'success', error: null })),
  );
  expect(await listTokenIds()).toEqual(Array.from({ length: 10 }, (_, index) => index + 1));
});

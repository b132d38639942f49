import type { Operation } from '@badge/protocol';
import { signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from '../testing/services.ts';

type Body = Awaited<ReturnType<typeof signedToken>>;

let api: TestService;
const workers: TestService[] = [];

beforeEach(async () => {
  api = await startTestService({ BADGE_ROLE: 'api' });
});
afterEach(async () => {
  await Promise.all([...workers.splice(0), api].map((service) => service.stop()));
});

async function startWorker(): Promise<TestService> {
  const worker = await startTestService({ DATABASE_URL: api.databaseUrl, BADGE_ROLE: 'worker', PORT: '' });
  workers.push(worker);
  return worker;
}

async function accept(body: Body): Promise<string> {
  const response = await api.call('/v1/tokens', { key: api.apiKey, json: body });
  expect(response.status).toBe(202);
  return response.headers.get('location') ?? '';
}
const newBodies = (count: number) => Promise.all(Array.from({ length: count }, () => signedToken()));
const idOf = (location: string) => location.split('/').at(-1);

async function waitUntilFinal(location: string): Promise<Operation> {
  return (await (await api.call(`${location}?wait=30`)).json()) as Operation;
}
const listTokenIds = async () =>
  (await query<{ token_id: string }>(api.databaseUrl, 'select token_id from tokens order by token_id')).map(
    (row) => Number(row.token_id),
  );

/** Blocks the creation of tokens until the returned client ends, so that a worker's batch stays in progress. */
async function holdTokenCounter(): Promise<pg.Client> {
  const client = new pg.Client(api.databaseUrl);
  await client.connect();
  await client.query('begin; lock table token_counter');
  return client;
}
async function waitForBlockedWorker(): Promise<void> {
  const waiting = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%token_counter%'`;
  await vi.waitFor(async () => expect(await query(api.databaseUrl, waiting)).toHaveLength(1), {
    timeout: 10_000,
    interval: 20,
  });
}

describe.each([
  ['in a batch with others', 5],
  ['alone in its batch', 1],
])('an operation that cannot be settled, %s', (_title, count) => {
  let locations: string[];
  let bodies: Body[];
  let invalidLocation: string;
  let invalidBody: Body;

  beforeEach(async () => {
    bodies = await newBodies(count);
    locations = await Promise.all(bodies.map(accept));
    const invalidIndex = Math.floor(count / 2);
    invalidLocation = locations[invalidIndex] ?? '';
    invalidBody = bodies[invalidIndex] as Body;
    await query(
      api.databaseUrl,
      "update operations set request = request - 'headline' where operation_id = $1",
      [idOf(invalidLocation)],
    );
    await startWorker();
  });

  test('ends in error with a problem object, and the others succeed', async () => {
    const otherLocations = locations.filter((location) => location !== invalidLocation);
    const operations = await Promise.all(otherLocations.map(waitUntilFinal));
    expect(operations.map(({ status }) => status)).toEqual(otherLocations.map(() => 'success'));
    expect(operations.map(({ resourceId }) => resourceId).sort()).toEqual(
      otherLocations.map((_, index) => index + 1),
    );
    const detail =
      'The operation could not be settled because of an internal error. The request may be sent again.';
    expect(await waitUntilFinal(invalidLocation)).toEqual({
      operationId: idOf(invalidLocation),
      operationType: 'createToken',
      status: 'error',
      resourceId: null,
      txHash: null,
      error: {
        type: expect.stringContaining('/docs/errors#InternalError'),
        title: 'Internal error',
        status: 500,
        detail,
        instance: invalidLocation,
        name: 'InternalError',
        error: detail,
      },
      warnings: [],
      createdAtTimestamp: expect.any(Number),
      completedAtTimestamp: expect.any(Number),
    });
  });

  test('can be sent again as a new operation', async () => {
    expect((await waitUntilFinal(invalidLocation)).status).toBe('error');
    const again = await accept(invalidBody);
    expect(again).not.toBe(invalidLocation);
    expect((await waitUntilFinal(again)).status).toBe('success');
    expect((await waitUntilFinal(invalidLocation)).status).toBe('error');
    await Promise.all(locations.map(waitUntilFinal));
    expect(await listTokenIds()).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });
});

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

test('operations that an earlier release accepted are settled', { tags: ['slow'] }, async () => {
  await startWorker();
  // One by one, because each operation needs the results of those before it.
  for (const { type, request } of EARLIER_REQUESTS) {
    const [operation] = await query<{ operation_id: string }>(
      api.databaseUrl,
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
  const owners = await (await api.call('/v1/tokens/1/owners')).json();
  expect(owners).toMatchObject({ data: [{ address: expect.stringMatching(/^0x(ef){20}$/i) }] });
});

test('two workers settle every operation exactly once', async () => {
  const locations = await Promise.all((await newBodies(30)).map(accept));
  await Promise.all([startWorker(), startWorker()]);
  const operations = await Promise.all(locations.map(waitUntilFinal));
  expect(new Set(operations.map(({ status }) => status))).toEqual(new Set(['success']));
  expect(new Set(operations.map(({ resourceId }) => resourceId)).size).toBe(30);
  expect(await listTokenIds()).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
});

test('small tables are analyzed after 2,000 operations', { tags: ['slow'] }, async () => {
  await query(
    api.databaseUrl,
    `insert into operations (operation_id, operation_type, community_id, request, request_bytes)
     select gen_random_uuid(), 'burn', community_id, '{"tokenId": 1, "address": ""}', 100
     from communities cross join generate_series(1, 2000)`,
  );
  await startWorker();
  const analyzed = "select from pg_stat_user_tables where relname = 'operations' and analyze_count > 0";
  await vi.waitFor(async () => expect(await query(api.databaseUrl, analyzed)).toHaveLength(1), {
    timeout: 20_000,
    interval: 100,
  });
});

test('a worker settles its current batch before it stops', async () => {
  const lockClient = await holdTokenCounter();
  const locations = await Promise.all((await newBodies(3)).map(accept));
  const worker = await startWorker();
  await waitForBlockedWorker();
  const stopped = worker.stop();
  workers.splice(0);
  await lockClient.end();
  await stopped;
  const rows = await query(api.databaseUrl, "select from operations where status = 'success'");
  expect(rows).toHaveLength(locations.length);
});

/** Ends all connections to the database, and allows new ones after the api process has noticed that it has none. */
async function loseEveryConnection(): Promise<void> {
  const url = new URL(api.databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  await query(url.href, `alter database ${name} allow_connections false`);
  await query(url.href, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  await vi.waitFor(
    async () =>
      expect(await query(url.href, 'select from pg_stat_activity where datname = $1', [name])).toEqual([]),
    { timeout: 10_000, interval: 20 },
  );
  await vi.waitFor(async () => expect((await api.call('/readyz')).status).toBe(503), {
    timeout: 10_000,
    interval: 20,
  });
  await query(url.href, `alter database ${name} allow_connections true`);
}

test('a worker that loses the database during a batch settles the batch once after it reconnects', {
  tags: ['slow'],
}, async () => {
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

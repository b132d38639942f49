import { randomUUID } from 'node:crypto';
import type { Operation } from '@badge/protocol';
import { newAddress, newWallet, signedBurn, signedToken } from '@badge/test-support/signing';
import { holdLock, query } from '@badge/test-support/sql';
import { fastify } from 'fastify';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Context } from '../../context.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Database } from '../../storage/database.ts';
import { startTestService, type TestService } from '../../testing/services.ts';
import { createIdempotency } from './idempotency.ts';

let service: TestService;
let secondService: TestService;
beforeAll(async () => {
  service = await startTestService();
  secondService = await startTestService({
    DATABASE_URL: service.databaseUrl,
    BADGE_DEMO_API_KEY: service.apiKey,
    BADGE_ADMIN_KEY: service.adminKey,
  });
});
afterAll(async () => {
  await Promise.all([service.stop(), secondService.stop()]);
});

// In quotes, as the IETF draft for this header requires.
const newKey = () => `"${randomUUID()}"`;
/** Where a request is sent, and its API key. */
type Target = { at?: TestService; apiKey?: string | undefined; path?: string };

async function createToken(): Promise<number> {
  const { resourceId } = await waitUntilFinal(await post(await signedToken(), newKey()));
  return resourceId ?? 0;
}

function post(
  json: unknown,
  idempotencyKey: string,
  { at = service, apiKey = service.apiKey, path = '/v1/tokens' }: Target = {},
) {
  return at.call(path, { json, key: apiKey, headers: { 'Idempotency-Key': idempotencyKey } });
}

type Json = Record<string, unknown>;
const readJson = async (response: Response | undefined) => (await response?.json()) as Json;
const nameOf = async (response: Response) => (await readJson(response)).name;

const locationOf = ({ headers }: Response) => headers.get('location');
const isReplay = ({ headers }: Response) => headers.get('idempotency-replayed') === 'true';
const countOperations = async () => (await query(service.databaseUrl, 'select from operations')).length;
async function waitUntilFinal(response: Response): Promise<Operation> {
  expect(response.status).toBe(202);
  return (await (await service.call(`${locationOf(response)}?wait=30`)).json()) as Operation;
}

const newCommunity = () => ({ displayId: 'c', name: 'Community' });
const communitiesTarget = () => ({ apiKey: service.adminKey, path: '/v1/communities' });
const countStoredKeys = async () =>
  (
    await query<{ keys: number }>(
      service.databaseUrl,
      'select count(*)::integer as keys from idempotency_keys',
    )
  )[0]?.keys;
/** Subtracts an interval from a column of the stored keys whose status meets the SQL condition. */
const moveBack = (statusCondition: string, column: string, by: string) =>
  query(
    service.databaseUrl,
    `update idempotency_keys set ${column} = ${column} - $1::interval where status ${statusCondition}`,
    [by],
  );

test('a repeated key and body get the same response, marked as a replay, on every process', async () => {
  const key = newKey();
  const body = newCommunity();
  const first = await post(body, key, communitiesTarget());
  expect(first.status).toBe(201);
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  const text = await first.text();
  for (const at of [service, secondService]) {
    const again = await post(body, key, { at, ...communitiesTarget() });
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(await again.text()).toBe(text);
  }
});

test('an equal request with another idempotency key, or without a key, is executed again', async () => {
  const body = newCommunity();
  const ids = await Promise.all(
    [newKey(), newKey()].map(
      async (key) => (await readJson(await post(body, key, communitiesTarget()))).uniqId,
    ),
  );
  const { uniqId } = await readJson(
    await service.call('/v1/communities', { json: body, key: service.adminKey }),
  );
  expect(new Set([...ids, uniqId]).size).toBe(3);
});

test('a repetition with a trailing slash, a query and HTTP Basic gets the first Location', async () => {
  const key = newKey();
  const json = await signedToken();
  const location = (await post(json, key)).headers.get('location');
  expect(location).toMatch(/^\/v1\/operations\//);
  const basic = `Basic ${Buffer.from(`demo:${service.apiKey}`).toString('base64')}`;
  const headers = { 'Idempotency-Key': key, Authorization: basic };
  const again = await service.call('/v1/tokens/?x=y', { json, headers });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.headers.get('location')).toBe(location);
});

test('only one of 40 concurrent requests with one key on two processes creates a community', async () => {
  const key = newKey();
  const body = newCommunity();
  const responses = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      post(body, key, { at: index % 2 === 0 ? service : secondService, ...communitiesTarget() }),
    ),
  );
  const executed = responses.filter(
    (response) => response.status === 201 && !response.headers.has('idempotency-replayed'),
  );
  expect(executed).toHaveLength(1);
  const { uniqId } = await readJson(executed[0]);
  for (const response of responses) {
    if (executed.includes(response)) continue;
    const { name, ...rest } = await readJson(response);
    if (response.status === 201) expect(rest.uniqId).toBe(uniqId);
    else expect([response.status, name]).toEqual([409, 'IdempotencyKeyInUse']);
  }
});

test('while a request creates a community, other requests with its key are refused, whatever their body', async () => {
  const key = newKey();
  const json = newCommunity();
  const release = await holdLock(service.databaseUrl, 'communities', 'share row exclusive');
  const first = post(json, key, communitiesTarget());
  try {
    await expect
      .poll(
        async () =>
          (await query(service.databaseUrl, 'select from idempotency_keys where status is null')).length,
      )
      .toBe(1);
    const again = await post(json, key, { at: secondService, ...communitiesTarget() });
    expect(again.headers.get('retry-after')).toBe('1');
    expect(await nameOf(again)).toBe('IdempotencyKeyInUse');
    expect(await nameOf(await post({ ...json, name: 'Other' }, key, communitiesTarget()))).toBe(
      'IdempotencyKeyReused',
    );
  } finally {
    await release();
  }
  const { uniqId } = await readJson(await first);
  expect((await readJson(await post(json, key, communitiesTarget()))).uniqId).toBe(uniqId);
});

test('a request with a used key and another body is rejected, and the first response is still replayed', async () => {
  const key = newKey();
  const body = newCommunity();
  const text = await (await post(body, key, communitiesTarget())).text();
  const other = await post({ ...body, name: 'Other' }, key, communitiesTarget());
  expect(other.status).toBe(422);
  expect(await nameOf(other)).toBe('IdempotencyKeyReused');
  expect(await (await post(body, key, communitiesTarget())).text()).toBe(text);
});

describe('a used key can be used again', () => {
  test('by another caller', async () => {
    const key = newKey();
    const json = await signedToken();
    await post(json, key);
    const response = await post(json, key, { apiKey: service.adminKey });
    expect(response.headers.has('idempotency-replayed')).toBe(false);
  });

  test('on another path', async () => {
    const key = newKey();
    const [firstTokenId, secondTokenId] = await Promise.all([createToken(), createToken()]);
    const claim = { claimingAddress: newAddress() };
    const responses = [
      await post(claim, key, { path: `/v1/tokens/${firstTokenId}/claim` }),
      await post(claim, key, { path: `/v1/tokens/${secondTokenId}/claim` }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([202, 202]);
    expect(responses.map(isReplay)).toEqual([false, false]);
  });
});

test.each([
  ['create a token', async () => ({ json: await signedToken(), path: '/v1/tokens' })],
  [
    'claim a token',
    async () => ({
      json: { claimingAddress: newAddress() },
      path: `/v1/tokens/${await createToken()}/claim`,
    }),
  ],
])(
  '200 concurrent requests with one key on two processes, each to %s, start one operation',
  async (_title, prepare) => {
    const { json, path } = await prepare();
    const key = newKey();
    const before = await countOperations();
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        post(json, key, { at: index % 2 === 0 ? service : secondService, path }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 202));
    expect(new Set(responses.map(locationOf)).size).toBe(1);
    expect(responses.filter((response) => !isReplay(response))).toHaveLength(1);
    expect(await countOperations()).toBe(before + 1);
  },
);

test('after an operation has failed, its key still returns it, but another key, or no key, starts a new operation', async () => {
  const ownService = await startTestService();
  try {
    const json = await signedToken();
    const key = newKey();
    const send = (headers: Record<string, string>) =>
      ownService.call('/v1/tokens', { json, key: ownService.apiKey, headers });
    /** Returns the final status of the operation, its location, and whether the response was a replay. */
    const attempt = async (headers: Record<string, string>) => {
      const response = await send(headers);
      const operation = await ownService.call(`${locationOf(response)}?wait=30`);
      const { status } = (await operation.json()) as Operation;
      return [status, locationOf(response), isReplay(response)] as const;
    };
    await query(
      ownService.databaseUrl,
      'alter table tokens add constraint rejects_every_token check (false) not valid',
    );
    const [keyedStatus, keyedLocation] = await attempt({ 'Idempotency-Key': key });
    const [status, location] = await attempt({});
    expect([keyedStatus, status]).toEqual(['error', 'error']);
    await query(ownService.databaseUrl, 'alter table tokens drop constraint rejects_every_token');
    expect(await attempt({ 'Idempotency-Key': key })).toEqual(['error', keyedLocation, true]);
    expect(await attempt({ 'Idempotency-Key': newKey() })).toEqual(['success', expect.any(String), false]);
    const [lastStatus, lastLocation, isLastReplay] = await attempt({});
    expect([lastStatus, isLastReplay]).toEqual(['success', false]);
    expect([keyedLocation, location]).not.toContain(lastLocation);
  } finally {
    await ownService.stop();
  }
});

test('a refused request can be sent again with the same key after the cause of the refusal is removed', async () => {
  const key = newKey();
  const json = await signedToken({ communityId: 'later' });
  const target = { apiKey: service.adminKey };
  expect((await post(json, key, target)).status).toBe(404);
  await post({ uniqId: 'later', displayId: 'later', name: 'Later' }, newKey(), communitiesTarget());
  const response = await post(json, key, target);
  expect([response.status, isReplay(response)]).toEqual([202, false]);

  const otherKey = newKey();
  const takenId = { uniqId: 'later', displayId: 'later', name: 'Taken' };
  expect((await post(takenId, otherKey, communitiesTarget())).status).toBe(409);
  expect((await post({ ...takenId, uniqId: 'free' }, otherKey, communitiesTarget())).status).toBe(201);
});

test('a refused request stores no key', async () => {
  const before = await countStoredKeys();
  const burn = await signedBurn(999_999, newWallet());
  expect((await post(burn, newKey(), { apiKey: undefined, path: '/v1/tokens/999999/burn' })).status).toBe(
    404,
  );
  expect((await post(await signedToken({ nftTypeId: 'none' }), newKey())).status).toBe(404);
  expect((await post({}, newKey(), { apiKey: 'wrong' })).status).toBe(401);
  expect(await countStoredKeys()).toBe(before);
});

test('an internal error is not stored', async () => {
  const ownService = await startTestService();
  try {
    const key = newKey();
    const json = await signedToken();
    await query(ownService.databaseUrl, 'alter table operations rename to operations_renamed');
    expect((await post(json, key, { at: ownService, apiKey: ownService.apiKey })).status).toBe(500);
    await query(ownService.databaseUrl, 'alter table operations_renamed rename to operations');
    expect((await post(json, key, { at: ownService, apiKey: ownService.apiKey })).status).toBe(202);
  } finally {
    await ownService.stop();
  }
});

test('a request whose key cannot be recorded creates no operation and no community', async () => {
  const ownService = await startTestService();
  try {
    // PostgreSQL raises this SQLSTATE if the disk is full.
    await query(
      ownService.databaseUrl,
      `create function refuse() returns trigger language plpgsql as $$
       begin if new.status is not null then raise sqlstate '53100'; end if; return new; end $$`,
    );
    await query(
      ownService.databaseUrl,
      'create trigger refuse before insert or update on idempotency_keys for each row execute function refuse()',
    );
    const responses = [
      await post(await signedToken(), newKey(), { at: ownService, apiKey: ownService.apiKey }),
      await post(newCommunity(), newKey(), {
        at: ownService,
        apiKey: ownService.adminKey,
        path: '/v1/communities',
      }),
    ];
    for (const response of responses) {
      expect(response.status).toBe(503);
      expect(locationOf(response)).toBeNull();
      expect(response.headers.get('retry-after')).toBe('1');
      expect(await nameOf(response)).toBe('Unavailable');
    }
    expect(await query(ownService.databaseUrl, 'select from operations')).toEqual([]);
    expect(await query(ownService.databaseUrl, 'select community_id from communities')).toEqual([
      { community_id: 'demo' },
    ]);
    expect(await query(ownService.databaseUrl, 'select from idempotency_keys')).toEqual([]);
  } finally {
    await ownService.stop();
  }
});

/** Sends a request, then changes its stored key as if the process had been killed before the response. */
async function sendUnfinished(key: string, json: unknown, target: Target): Promise<Response> {
  const response = await post(json, key, target);
  await query(
    service.databaseUrl,
    `update idempotency_keys
     set status = null, headers = null, body = null, locked_until = now() + interval '180 seconds'
     where request_id = $1`,
    [response.headers.get('x-request-id')],
  );
  return response;
}

test('if the process of a request is killed, its key stays locked for three minutes, and can then be used again', async () => {
  const key = newKey();
  const body = newCommunity();
  await sendUnfinished(key, body, communitiesTarget());
  const refused = await post(body, key, communitiesTarget());
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(await nameOf(refused)).toBe('IdempotencyKeyInUse');
  expect((await post({ ...body, name: 'Other' }, key, communitiesTarget())).status).toBe(422);
  await moveBack('is null', 'locked_until', '181 seconds');
  const response = await post({ ...body, name: 'Other' }, key, communitiesTarget());
  expect([response.status, isReplay(response)]).toEqual([201, false]);
  expect(isReplay(await post({ ...body, name: 'Other' }, key, communitiesTarget()))).toBe(true);
});

test('a request is rolled back if its key lock has expired and another request has locked the key', async () => {
  const key = newKey();
  const json = { ...newCommunity(), name: 'Taken over' };
  const release = await holdLock(service.databaseUrl, 'communities', 'share row exclusive');
  const listLockedKeys = () =>
    query<{ request_id: string }>(
      service.databaseUrl,
      'select request_id from idempotency_keys where status is null and locked_until > now()',
    );
  const first = post(json, key, communitiesTarget());
  let later: Promise<Response>;
  try {
    await expect.poll(async () => (await listLockedKeys()).length, { timeout: 20_000 }).toBe(1);
    const [firstUse] = await listLockedKeys();
    await moveBack('is null', 'locked_until', '181 seconds');
    later = post(json, key, { at: secondService, ...communitiesTarget() });
    await expect
      .poll(
        async () => (await listLockedKeys()).filter((use) => use.request_id !== firstUse?.request_id).length,
      )
      .toBe(1);
  } finally {
    await release();
  }
  expect(await nameOf(await first)).toBe('IdempotencyKeyInUse');
  expect((await later).status).toBe(201);
  expect(await query(service.databaseUrl, "select from communities where name = 'Taken over'")).toHaveLength(
    1,
  );
});

test('a key expires after 24 hours', async () => {
  const key = newKey();
  await post(newCommunity(), key, communitiesTarget());
  await moveBack('= 201', 'created_at', '23 hours 59 minutes');
  expect((await post(newCommunity(), key, communitiesTarget())).headers.get('idempotency-replayed')).toBe(
    'true',
  );
  await moveBack('= 201', 'created_at', '1 minute');
  const response = await post({ ...newCommunity(), name: 'Other' }, key, communitiesTarget());
  expect(response.status).toBe(201);
  expect(response.headers.has('idempotency-replayed')).toBe(false);
});

test('a process deletes expired keys when it receives its first request with a key', async () => {
  const ownService = await startTestService();
  try {
    // Five keys, with ages from 22 to 26 hours. Those of 22 and 23 hours have not expired.
    await query(
      ownService.databaseUrl,
      `insert into idempotency_keys (scope, body_hash, request_id, created_at, locked_until)
       select sha256(n::text::bytea), sha256(''), gen_random_uuid(), now() - n * interval '1 hour', now()
       from generate_series(22, 26) as n`,
    );
    await post(await signedToken(), newKey(), { at: ownService, apiKey: ownService.apiKey });
    const [row] = await query<{ keys: number }>(
      ownService.databaseUrl,
      'select count(*)::integer as keys from idempotency_keys',
    );
    // The keys of 22 and 23 hours, and the key of this request.
    expect(row?.keys).toBe(3);
  } finally {
    await ownService.stop();
  }
});

test('a repeated creation of an API key replaces the first one, because its response is not stored', async () => {
  const key = newKey();
  const target = { apiKey: service.adminKey, path: '/v1/communities/demo/apiKeys' };
  const before = await countStoredKeys();
  const first = await post({ name: 'a' }, key, target);
  const again = await post({ name: 'a' }, key, target);
  expect([first.status, again.status]).toEqual([201, 201]);
  const keys = [String((await readJson(first)).apiKey), String((await readJson(again)).apiKey)];
  const statuses = keys.map(async (apiKey) => (await post({}, newKey(), { apiKey })).status);
  expect(await Promise.all(statuses)).toEqual([401, 400]);
  expect(await countStoredKeys()).toBe((before ?? 0) + 1);
});

// Every query of this database returns no rows.
const emptyDatabase: Database = new Kysely({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

test('if the second lookup of the key fails, its error is sent instead of the refusal', async () => {
  const app = fastify();
  app.setErrorHandler<Error>((error, _request, reply) => reply.code(500).send({ message: error.message }));
  const lookups = [async () => null, () => Promise.reject(new Error('connection lost'))];
  const findKeyState = async () => await lookups.shift()?.();
  app.addHook(
    'onRoute',
    createIdempotency({ database: emptyDatabase, lookUps: { findKeyState } } as unknown as Context),
  );
  app.post('/', async () => {
    throw new Refusal('NoTokensLeft', 'No tokens are left.');
  });
  const response = await app.inject({ method: 'POST', url: '/', headers: { 'idempotency-key': 'key' } });
  expect(response.json()).toEqual({ message: 'connection lost' });
  await app.close();
});

import { randomUUID } from 'node:crypto';
import { signedToken } from '@badge/test-support/signing';
import { holdLock, query } from '@badge/test-support/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from '../../testing/services.ts';

let service: TestService;
let second: TestService;
beforeAll(async () => {
  service = await startTestService();
  second = await startTestService({
    DATABASE_URL: service.databaseUrl,
    BADGE_DEMO_API_KEY: service.apiKey,
    BADGE_ADMIN_KEY: service.adminKey,
  });
});
afterAll(async () => {
  await Promise.all([service.stop(), second.stop()]);
});

const newKey = () => `"${randomUUID()}"`;
type Send = { at?: TestService; key?: string; path?: string };

function post(
  json: unknown,
  idempotencyKey: string,
  { at = service, key = service.apiKey, path = '/v1/tokens' }: Send = {},
) {
  return at.call(path, { json, key, headers: { 'Idempotency-Key': idempotencyKey } });
}

type Json = Record<string, unknown>;
const read = async (answer: Response | undefined) => (await answer?.json()) as Json;
const nameOf = async (answer: Response) => (await read(answer)).name;

const newCommunity = () => ({ displayId: 'c', name: 'Community' });
const asOperator = () => ({ key: service.adminKey, path: '/v1/communities' });
const countKeys = async () =>
  (
    await query<{ keys: number }>(
      service.databaseUrl,
      'select count(*)::integer as keys from idempotency_keys',
    )
  )[0]?.keys;
const age = (status: string, column: string, by: string) =>
  query(
    service.databaseUrl,
    `update idempotency_keys set ${column} = ${column} - $1::interval where status ${status}`,
    [by],
  );

test('a repeated key and body get the same response, marked as a replay, on every process', async () => {
  const key = newKey();
  const body = newCommunity();
  const first = await post(body, key, asOperator());
  expect(first.status).toBe(201);
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  const text = await first.text();
  for (const at of [service, second]) {
    const again = await post(body, key, { at, ...asOperator() });
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(await again.text()).toBe(text);
  }
});

test('a request without a key or with another key is executed again', async () => {
  const body = newCommunity();
  const ids = await Promise.all(
    [newKey(), newKey()].map(async (key) => (await read(await post(body, key, asOperator()))).uniqId),
  );
  const { uniqId } = await read(await service.call('/v1/communities', { json: body, key: service.adminKey }));
  expect(new Set([...ids, uniqId]).size).toBe(3);
});

test('a replay has the first Location, also with a trailing slash or HTTP Basic', async () => {
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

test('of 40 concurrent requests on two processes, one is executed', async () => {
  const key = newKey();
  const body = newCommunity();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      post(body, key, { at: index % 2 === 0 ? service : second, ...asOperator() }),
    ),
  );
  const executed = answers.filter(
    (answer) => answer.status === 201 && !answer.headers.has('idempotency-replayed'),
  );
  expect(executed).toHaveLength(1);
  const { uniqId } = await read(executed[0]);
  for (const answer of answers) {
    if (executed.includes(answer)) continue;
    const { name, ...rest } = await read(answer);
    if (answer.status === 201) expect(rest.uniqId).toBe(uniqId);
    else expect([answer.status, name]).toEqual([409, 'IdempotencyKeyInUse']);
  }
});

test('while the first request is running, the same body gets 409 and another body 422', async () => {
  const key = newKey();
  const json = await signedToken();
  const release = await holdLock(service.databaseUrl, 'operations', 'share row exclusive');
  const first = post(json, key);
  try {
    await expect
      .poll(
        async () =>
          (await query(service.databaseUrl, 'select from idempotency_keys where status is null')).length,
      )
      .toBe(1);
    const again = await post(json, key, { at: second });
    expect(again.headers.get('retry-after')).toBe('1');
    expect(await nameOf(again)).toBe('IdempotencyKeyInUse');
    expect(await nameOf(await post(await signedToken(), key))).toBe('IdempotencyKeyReused');
  } finally {
    await release();
  }
  const location = (await first).headers.get('location');
  expect((await post(json, key)).headers.get('location')).toBe(location);
});

test('another body is rejected, and the first response is still replayed', async () => {
  const key = newKey();
  const body = newCommunity();
  const text = await (await post(body, key, asOperator())).text();
  const other = await post({ ...body, name: 'Other' }, key, asOperator());
  expect(other.status).toBe(422);
  expect(await nameOf(other)).toBe('IdempotencyKeyReused');
  expect(await (await post(body, key, asOperator())).text()).toBe(text);
});

describe('the same key is another key', () => {
  test('if another caller uses it', async () => {
    const key = newKey();
    const json = await signedToken();
    await post(json, key);
    const answer = await post(json, key, { key: service.adminKey });
    expect(answer.headers.has('idempotency-replayed')).toBe(false);
  });

  test('on another path', async () => {
    const key = newKey();
    const claim = { claimingAddress: `0x${'12'.repeat(20)}` };
    for (const tokenId of [901, 902]) {
      const answer = await post(claim, key, { path: `/v1/tokens/${tokenId}/claim` });
      expect(answer.status).toBe(404);
      expect(answer.headers.has('idempotency-replayed')).toBe(false);
    }
  });
});

test('an error of an executed request is stored; its replay has the new request id', async () => {
  const key = newKey();
  const json = await signedToken({ communityId: 'later' });
  const first = await post(json, key);
  expect(first.status).toBe(404);
  await post({ uniqId: 'later', displayId: 'later', name: 'Later' }, newKey(), asOperator());
  const again = await post(json, key);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  const problem = await read(again);
  expect(problem).toEqual({
    ...(await read(first)),
    instance: `urn:uuid:${again.headers.get('x-request-id')}`,
  });
});

test.each([
  ['a malformed body', { headline: '' }, 400],
  ['a malformed signature', { signature: '0x12' }, 400],
])('%s does not use up the key: the corrected request is executed', async (_title, fields, status) => {
  const key = newKey();
  const json = await signedToken();
  expect((await post({ ...json, ...fields }, key)).status).toBe(status);
  expect((await post(json, key)).status).toBe(202);
});

test('a wrong API key does not use up the idempotency key', async () => {
  const before = await countKeys();
  expect((await post({}, newKey(), { key: 'wrong' })).status).toBe(401);
  expect(await countKeys()).toBe(before);
});

test('an internal error is not stored', async () => {
  const own = await startTestService();
  try {
    const key = newKey();
    const json = await signedToken();
    await query(own.databaseUrl, 'alter table operations rename to operations_renamed');
    expect((await post(json, key, { at: own, key: own.apiKey })).status).toBe(500);
    await query(own.databaseUrl, 'alter table operations_renamed rename to operations');
    expect((await post(json, key, { at: own, key: own.apiKey })).status).toBe(202);
  } finally {
    await own.stop();
  }
});

test('a response that cannot be stored is not sent', async () => {
  const own = await startTestService();
  try {
    await query(
      own.databaseUrl,
      `create function refuse() returns trigger language plpgsql as $$ begin raise sqlstate '53100'; end $$`,
    );
    await query(
      own.databaseUrl,
      'create trigger refuse before update on idempotency_keys for each row execute function refuse()',
    );
    const answer = await post(await signedToken(), newKey(), { at: own, key: own.apiKey });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('location')).toBeNull();
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await nameOf(answer)).toBe('Unavailable');
  } finally {
    await own.stop();
  }
});

describe('a key whose process has ended', () => {
  async function leaveRunning(key: string, json: unknown): Promise<string | null> {
    const { headers } = await post(json, key, asOperator());
    await query(
      service.databaseUrl,
      'update idempotency_keys set status = null, headers = null, body = null where request_id = $1',
      [headers.get('x-request-id')],
    );
    return headers.get('x-request-id');
  }
  const unlock = () => age('is null', 'locked_until', '181 seconds');

  test('stays locked, then the request is executed again', async () => {
    const key = newKey();
    const body = newCommunity();
    await leaveRunning(key, body);
    expect(await nameOf(await post(body, key, asOperator()))).toBe('IdempotencyKeyInUse');
    await unlock();
    const answer = await post(body, key, asOperator());
    expect(answer.status).toBe(201);
    expect(answer.headers.has('idempotency-replayed')).toBe(false);
    expect((await post(body, key, asOperator())).headers.get('idempotency-replayed')).toBe('true');
  });

  test('is not available to another body', async () => {
    const key = newKey();
    await leaveRunning(key, newCommunity());
    await unlock();
    expect((await post({ ...newCommunity(), name: 'Other' }, key, asOperator())).status).toBe(422);
  });
});

test('a request whose key was taken over sends no second response', async () => {
  const key = newKey();
  const json = await signedToken();
  const release = await holdLock(service.databaseUrl, 'operations', 'share row exclusive');
  const running = () =>
    query<{ request_id: string }>(
      service.databaseUrl,
      'select request_id from idempotency_keys where status is null and locked_until > now()',
    );
  const first = post(json, key);
  let late: Promise<Response>;
  try {
    await expect.poll(async () => (await running()).length).toBe(1);
    const [{ request_id: firstId } = { request_id: '' }] = await running();
    await age('is null', 'locked_until', '181 seconds');
    late = post(json, key, { at: second });
    await expect
      .poll(async () => (await running()).filter((use) => use.request_id !== firstId).length)
      .toBe(1);
  } finally {
    await release();
  }
  expect(await nameOf(await first)).toBe('IdempotencyKeyInUse');
  expect((await late).status).toBe(202);
});

test('a key expires after 24 hours', async () => {
  const key = newKey();
  await post(newCommunity(), key, asOperator());
  await age('= 201', 'created_at', '23 hours 59 minutes');
  expect((await post(newCommunity(), key, asOperator())).headers.get('idempotency-replayed')).toBe('true');
  await age('= 201', 'created_at', '1 minute');
  const answer = await post({ ...newCommunity(), name: 'Other' }, key, asOperator());
  expect(answer.status).toBe(201);
  expect(answer.headers.has('idempotency-replayed')).toBe(false);
});

test('a process deletes expired keys at its first key and then regularly', async () => {
  const own = await startTestService();
  try {
    await query(
      own.databaseUrl,
      `insert into idempotency_keys (scope, body_hash, request_id, created_at, locked_until)
       select sha256(n::text::bytea), sha256(''), gen_random_uuid(), now() - n * interval '1 hour', now()
       from generate_series(22, 26) as n`,
    );
    await post(await signedToken(), newKey(), { at: own, key: own.apiKey });
    const [row] = await query<{ keys: number }>(
      own.databaseUrl,
      'select count(*)::integer as keys from idempotency_keys',
    );
    expect(row?.keys).toBe(3);
  } finally {
    await own.stop();
  }
});

test('the creation of an API key ignores it and stores no secret', async () => {
  const key = newKey();
  const send = { key: service.adminKey, path: '/v1/communities/demo/apiKeys' };
  const [first, again] = [await post({ name: 'a' }, key, send), await post({ name: 'a' }, key, send)];
  expect([first.status, again.status]).toEqual([201, 201]);
  expect((await read(first)).apiKey).not.toBe((await read(again)).apiKey);
});

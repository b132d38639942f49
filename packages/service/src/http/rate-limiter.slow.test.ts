import { createDatabase } from '@badge/test-support/databases';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { expect, test, vi } from 'vitest';
import { makeKey } from '../domain/api-keys/rules.ts';
import { createToken } from '../testing/creations.ts';
import { flood, isLimited, read, readWithKey, start } from '../testing/rate-limits.ts';
import type { TestService } from '../testing/services.ts';

// Longer than a window. So if an attempt falls into two windows, the next attempt has the quota of a new
// window.
const RETRY_IN_NEXT_WINDOW = { ...WAIT_OPTIONS, interval: 5_100 };

test('the sandbox has no limit and sends no rate-limit headers', async () => {
  const service = await start({});
  const responses = await flood(() => read(service), 120);
  expect(responses.filter(isLimited)).toEqual([]);
  expect(responses[0]?.headers.has('ratelimit')).toBe(false);
});

test('a public read is counted by address, even with a key', async () => {
  const service = await start({ BADGE_RATE_LIMIT: '1000/50' });
  const { headers } = await read(service, { 'X-API-Key': service.apiKey });
  expect(headers.get('ratelimit-policy')).toBe('"address";q=250;w=5');
});

test('preflights, health checks and unknown paths are not limited; /metrics and requests that lack a required key are limited', async () => {
  const service = await start({ BADGE_RATE_LIMIT: '1/1' });
  const headers = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' };
  const preflight = () => service.call('/v1/tokens', { method: 'OPTIONS', headers });
  for (const send of [
    preflight,
    ...['/healthz', '/readyz', '/v1/nothing'].map((path) => () => service.call(path)),
  ]) {
    expect((await flood(send)).filter(isLimited)).toEqual([]);
  }
  const createTokenWithoutKey = () => service.call('/v1/tokens', { json: {} });
  for (const send of [createTokenWithoutKey, () => service.call('/metrics')]) {
    expect((await flood(send)).some(isLimited)).toBe(true);
  }
});

test('wrong keys are limited by address, while a right key and requests without a key pass', async () => {
  const service = await start({ BADGE_RATE_LIMIT: '1000/1' });
  let responses: Response[] = [];
  // Each request is sent after the response to the previous request, so that the previous request is counted.
  await expect
    .poll(async () => {
      responses = [];
      for (let sent = 0; sent < 8; sent += 1) responses.push(await readWithKey(service, makeKey('sandbox')));
      responses.push(await readWithKey(service), await read(service));
      return responses.map(({ status }) => status);
    }, RETRY_IN_NEXT_WINDOW)
    .toEqual([...Array(5).fill(401), ...Array(3).fill(429), 200, 200]);
  expect(responses[5]?.headers.get('ratelimit')).toMatch(/^"wrong-key";r=0;t=[1-5]$/);
  expect(responses[5]?.headers.get('retry-after')).toMatch(/^[1-5]$/);
});

test('a request counts as one request for each started 100 claim links that it creates', async () => {
  const service = await start({ BADGE_RATE_LIMIT: '100/100' });
  const { resourceId } = await createToken(service);
  const readRemaining = async () => {
    const { headers } = await readWithKey(service);
    return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
  };
  for (const [count, requests] of [
    [1_000, 10],
    [101, 2],
    [100, 1],
    // Too many claim links, so none is created.
    [1_001, 1],
  ]) {
    // The second `readRemaining` counts as one request. If a window has ended meanwhile, the request is sent
    // again.
    const countRequests = async () => {
      const before = await readRemaining();
      await service.call(`/v1/tokens/${resourceId}/claimLinks`, { key: service.apiKey, json: { count } });
      return before - (await readRemaining()) - 1;
    };
    await expect.poll(countRequests, { timeout: 20_000 }).toBe(requests);
  }
});

test("a request with a community's key to an operator's route is counted by its key", async () => {
  const service = await start({ BADGE_RATE_LIMIT: '1/1000' });
  await expect
    .poll(async () => {
      const statuses: number[] = [];
      for (let sent = 0; sent < 7; sent += 1)
        statuses.push((await service.call('/v1/communities', { key: service.apiKey })).status);
      return statuses;
    }, RETRY_IN_NEXT_WINDOW)
    .toEqual([403, 403, 403, 403, 403, 429, 429]);
});

test('processes of one database exchange their counts, with keys and without', async () => {
  const env = {
    DATABASE_URL: await createDatabase(),
    BADGE_DEMO_API_KEY: makeKey('sandbox'),
    BADGE_RATE_LIMIT: '20/20',
  };
  const [first, second] = await Promise.all([start(env), start({ ...env, BADGE_ROLE: 'api' })]);
  for (const send of [read, (service: TestService) => readWithKey(service, env.BADGE_DEMO_API_KEY)]) {
    // The second process gets far fewer requests than the quota of 100, so only shared counts can reject
    // them.
    const limited = await vi.waitFor(
      async () => {
        await flood(() => send(first), 110);
        const response = await send(second);
        expect(response.status).toBe(429);
        return response;
      },
      { ...WAIT_OPTIONS, interval: 500 },
    );
    expect(limited.headers.get('ratelimit')).toMatch(/^"(key|address)";r=0;t=[1-5]$/);
    expect(limited.headers.get('retry-after')).toMatch(/^[1-5]$/);
  }
});

test('while the database is unavailable, a process limits requests by its own counts; afterwards the counts are shared again', async () => {
  const env = { DATABASE_URL: await createDatabase(), BADGE_RATE_LIMIT: '1000/20' };
  const [first, second] = await Promise.all([start(env), start({ ...env, BADGE_ROLE: 'api' })]);
  const database = new URL(env.DATABASE_URL);
  const name = database.pathname.slice(1);
  database.pathname = '/postgres';
  const allowConnections = (isAllowed: boolean) =>
    query(database.href, `alter database ${name} allow_connections ${isAllowed}`);
  await allowConnections(false);
  await query(database.href, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
    name,
  ]);
  const responses = await flood(() => read(first), 220);
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 429]));
  await allowConnections(true);
  await vi.waitFor(
    async () => {
      await flood(() => read(first), 110);
      expect((await read(second)).status).toBe(429);
    },
    { ...WAIT_OPTIONS, interval: 500 },
  );
});

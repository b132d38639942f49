import { ERRORS } from '@badge/protocol';
import { createDatabase } from '@badge/test-support/databases';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { type FastifyRequest, fastify } from 'fastify';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeKey } from '../domain/api-keys/rules.ts';
import { Refusal } from '../domain/refusal.ts';
import { createRequestCounter } from '../rate-limits/request-counter.ts';
import { createToken } from '../testing/creations.ts';
import { insertDemoTokens } from '../testing/insert-demo-tokens.ts';
import { startTestService, type TestService } from '../testing/services.ts';
import { toAddressGroup } from './caller-names.ts';
import { createRateLimiter } from './rate-limiter.ts';

async function start(env: Record<string, string>): Promise<TestService> {
  const service = await startTestService(env);
  onTestFinished(service.stop);
  return service;
}

// Longer than a window. So if an attempt falls into two windows, the next attempt has the quota of a new window.
const RETRY_IN_NEXT_WINDOW = { ...WAIT_OPTIONS, interval: 5_100 };

/** Sends enough concurrent requests to exceed the quota even if a slow machine spreads them over several windows. */
async function flood(send: () => Promise<Response>, count = 40): Promise<Response[]> {
  return await Promise.all(Array.from({ length: count }, send));
}
const toAddress = (number: number) => `0x${number.toString(16).padStart(40, '0')}`;
const isLimited = ({ status }: Response) => status === 429;
const read = (service: TestService, headers = {}) => service.call('/v1/environment', { headers });
const readWithKey = (service: TestService, key = service.apiKey) =>
  service.call('/v1/communities/demo/nftTypes', { key });

test('the sandbox has no limit and sends no rate-limit headers', { tags: ['slow'] }, async () => {
  const service = await start({});
  const responses = await flood(() => read(service), 120);
  expect(responses.filter(isLimited)).toEqual([]);
  expect(responses[0]?.headers.has('ratelimit')).toBe(false);
});

test('production allows 100 requests per second per key and 50 per address; "off" removes the limit', async () => {
  const production = {
    BADGE_ENVIRONMENT: 'production',
    BADGE_VERIFYING_CONTRACT: `0x${'12'.repeat(20)}`,
  };
  const [limited, unlimited] = await Promise.all([
    start(production),
    start({ ...production, BADGE_RATE_LIMIT: 'off' }),
  ]);
  expect((await read(limited)).headers.get('ratelimit-policy')).toBe('"address";q=250;w=5');
  const withKey = await readWithKey(limited, limited.adminKey);
  expect(withKey.headers.get('ratelimit-policy')).toBe('"key";q=500;w=5');
  expect((await read(unlimited)).headers.has('ratelimit-policy')).toBe(false);
});

test('requests without a key are limited by address, and responses carry the rate-limit headers', async () => {
  const service = await start({ BADGE_RATE_LIMIT: '1000/2' });
  const responses = await flood(() => read(service, { Origin: 'https://app.example.com' }));
  const limited = responses.filter(isLimited);
  const allowed = responses.filter((response) => response.status === 200);
  expect(allowed.length + limited.length).toBe(responses.length);
  expect(allowed[0]?.headers.get('ratelimit')).toMatch(/^"address";r=9;t=[1-5]$/);
  expect(limited[0]?.headers.get('ratelimit')).toMatch(/^"address";r=0;t=[1-5]$/);
  expect(limited[0]?.headers.get('ratelimit-policy')).toBe('"address";q=10;w=5');
  expect(limited[0]?.headers.get('retry-after')).toMatch(/^[1-5]$/);
  expect(limited[0]?.headers.get('access-control-allow-origin')).toBe('*');
  expect(limited[0]?.headers.get('access-control-expose-headers')).toMatch(/RateLimit, RateLimit-Policy/);
  expect(await limited[0]?.json()).toMatchObject({ name: 'RateLimited', status: 429 });
  await expect.poll(async () => (await read(service)).status, { timeout: 20_000 }).toBe(200);
});

test('requests with a key are counted separately from requests without a key from the same address', async () => {
  const service = await start({ BADGE_RATE_LIMIT: '2/1' });
  expect((await flood(() => read(service))).some(isLimited)).toBe(true);
  const both = await Promise.all([readWithKey(service), readWithKey(service, service.adminKey)]);
  for (const { headers } of both) expect(headers.get('ratelimit')).toMatch(/^"key";r=9;t=[1-5]$/);
  expect((await flood(() => readWithKey(service))).some(isLimited)).toBe(true);
});

test('a public read is counted by address, even with a key', { tags: ['slow'] }, async () => {
  const service = await start({ BADGE_RATE_LIMIT: '1000/50' });
  const { headers } = await read(service, { 'X-API-Key': service.apiKey });
  expect(headers.get('ratelimit-policy')).toBe('"address";q=250;w=5');
});

test('preflights, health checks and unknown paths are not limited; /metrics and requests that lack a required key are limited', {
  tags: ['slow'],
}, async () => {
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

test('wrong keys are limited by address, while a right key and requests without a key pass', {
  tags: ['slow'],
}, async () => {
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

describe('a flood of wrong keys', () => {
  const RIGHT_KEYS = ['right', 'used before'];
  async function createLimitedApp() {
    const checkedKeys: string[] = [];
    const authenticate = async ({ headers }: FastifyRequest) => {
      checkedKeys.push(String(headers['x-api-key']));
      if (!RIGHT_KEYS.includes(String(headers['x-api-key']))) throw new Refusal('InvalidApiKey', 'wrong');
    };
    // The clock stands still, so the whole test is in one window.
    const limit = { perKey: 100, perAddress: 2, counter: createRequestCounter(() => 0) };
    const limiter = createRateLimiter(limit);
    const app = fastify();
    app.addHook('onRequest', async (request, reply) => {
      await limiter.checkKey(request, reply, () => authenticate(request));
      limiter.countKey(request, reply, { kind: 'operator', neededRole: 'editor' });
    });
    app.setErrorHandler((error, _request, reply) =>
      reply.code(error instanceof Refusal ? ERRORS[error.errorName].status : 500).send(String(error)),
    );
    app.get('/', { config: { access: 'community' } }, () => 'ok');
    await app.ready();
    const send = async (key: string, remoteAddress = '192.0.2.1') =>
      (await app.inject({ url: '/', headers: { 'X-API-Key': key }, remoteAddress })).statusCode;
    return { checkedKeys, send };
  }

  test('causes a limited number of key checks, and does not lock out keys that were recently right', async () => {
    const { checkedKeys, send } = await createLimitedApp();
    expect(await send('used before')).toBe(200);
    const statuses: number[] = [];
    for (let sent = 0; sent < 15; sent += 1) statuses.push(await send(`wrong ${sent}`));
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)]);
    expect(await send('right')).toBe(200);
    for (let sent = 0; sent < 100; sent += 1) expect(await send(`wrong again ${sent}`)).toBe(429);
    expect(await send('used before')).toBe(200);
    expect(await send('right', '192.0.2.2')).toBe(200);
    expect(new Set(checkedKeys.filter((key) => key.startsWith('wrong'))).size).toBeLessThanOrEqual(20);
    expect(checkedKeys.length).toBeLessThan(30);
  });

  test('that repeats one wrong key causes no key checks after the limit', async () => {
    const { checkedKeys, send } = await createLimitedApp();
    for (let sent = 0; sent < 60; sent += 1) await send('wrong');
    expect(checkedKeys.length).toBe(10);
    expect(await send('right')).toBe(200);
  });
});

test('a list counts as one request for each started 100 of its limit, except the tokens of a wallet', async () => {
  const service = await start({ BADGE_RATE_LIMIT: '1000/50', BADGE_TRUST_PROXY: '127.0.0.1' });
  const rows: [path: string, requests: number][] = [
    ['/v1/tokens', 1],
    ['/v1/tokens?limit=100', 1],
    ['/v1/tokens?limit=101', 2],
    ['/v1/tokens?limit=1000', 10],
    ['/v1/communities/demo/tokens?limit=1000&order=desc', 10],
    ['/v1/tokens?limit=', 1],
    ['/v1/tokens?limit=1001', 10],
    ['/v1/tokens?limit=-1000', 1],
    ['/v1/tokens?limit=x', 1],
    ['/v1/tokens?limit=1000&limit=1000', 1],
    [`/v1/wallets/0x${'12'.repeat(20)}/tokens?limit=1000`, 1],
  ];
  const counted = await Promise.all(
    rows.map(async ([path], index) => {
      const { headers } = await service.call(path, { headers: { 'X-Forwarded-For': `192.0.2.${index}` } });
      const [, remaining] = /r=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
      return [path, 250 - Number(remaining)];
    }),
  );
  expect(counted).toEqual(rows);
});

test('a check of owners counts as one request for each started 1,000 pairs, and is refused before its work', async () => {
  const service = await start({ BADGE_RATE_LIMIT: '1000/50', BADGE_TRUST_PROXY: '127.0.0.1' });
  await insertDemoTokens(service.databaseUrl, 100, 'small');
  const addresses = (count: number) => Array.from({ length: count }, (_, index) => toAddress(index));
  const tokenIds = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  const check = (client: number, addressCount: number, tokenCount: number) =>
    service.call('/v1/checkOwners', {
      headers: { 'X-Forwarded-For': `192.0.2.${client}` },
      json: { addresses: addresses(addressCount), tokenIds: tokenIds(tokenCount) },
    });
  const remainingOf = ({ headers }: Response) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
  for (const [client, [addressCount, tokenCount, requests]] of [
    [1, 1, 1],
    [1_000, 1, 1],
    [501, 2, 2],
    [1_000, 10, 10],
    [1_000, 100, 100],
  ].entries() as IterableIterator<[number, [number, number, number]]>) {
    const response = await check(client, addressCount, tokenCount);
    expect(response.status).toBe(200);
    // One request is counted before the body is read. A window can end between this and the count of the others.
    const expected = [250 - requests, 251 - requests];
    expect(expected, `${addressCount} addresses, ${tokenCount} tokens`).toContain(remainingOf(response));
  }
  // The first three use up the quota of a window. On a slow machine, the requests can be in several windows.
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async () => (await check(9, 1_000, 100)).status),
  );
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2);
  const scores = await service.call('/v1/tokens/1/snapshotScores', {
    headers: { 'X-Forwarded-For': '192.0.2.10' },
    json: { addresses: addresses(10_000) },
  });
  expect([240, 241]).toContain(remainingOf(scores));
});

test('a request counts as one request for each started 100 claim links that it creates', {
  tags: ['slow'],
}, async () => {
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
    // The second `readRemaining` counts as one request. If a window has ended meanwhile, the request is sent again.
    const countRequests = async () => {
      const before = await readRemaining();
      await service.call(`/v1/tokens/${resourceId}/claimLinks`, { key: service.apiKey, json: { count } });
      return before - (await readRemaining()) - 1;
    };
    await expect.poll(countRequests, { timeout: 20_000 }).toBe(requests);
  }
});

describe('X-Forwarded-For', () => {
  const sendAll = (service: TestService, forwardedFor: string[]) =>
    Promise.all(forwardedFor.map((value) => read(service, { 'X-Forwarded-For': value })));
  const range = Array.from({ length: 40 }, (_, index) => index);

  test('is used only if a trusted proxy sends it', async () => {
    const [trusting, untrusting] = await Promise.all([
      start({ BADGE_RATE_LIMIT: '1000/1', BADGE_TRUST_PROXY: 'loopback, 10.0.0.0/8' }),
      start({ BADGE_RATE_LIMIT: '1000/1' }),
    ]);
    const clients = range.map((index) => `203.0.113.${index}, 10.1.2.3`);
    expect((await sendAll(trusting, clients)).filter(isLimited)).toEqual([]);
    expect((await sendAll(untrusting, clients)).some(isLimited)).toBe(true);
  });

  test.each([
    ['that differ only in their port', (index: number) => `203.0.113.77:${1_024 + index}`],
    ['of one IPv6 /64', (index: number) => `2001:db8:1:2::${index}`],
  ])('with addresses %s counts as one address', { tags: ['slow'] }, async (_title, toClient) => {
    const service = await start({ BADGE_RATE_LIMIT: '1000/1', BADGE_TRUST_PROXY: '127.0.0.1' });
    expect((await sendAll(service, range.map(toClient))).some(isLimited)).toBe(true);
  });
});

test("a request with a community's key to an operator's route is counted by its key", {
  tags: ['slow'],
}, async () => {
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

test('processes of one database share their counts, with keys and without', { tags: ['slow'] }, async () => {
  const env = {
    DATABASE_URL: await createDatabase(),
    BADGE_DEMO_API_KEY: makeKey('sandbox'),
    BADGE_RATE_LIMIT: '20/20',
  };
  const [first, second] = await Promise.all([start(env), start({ ...env, BADGE_ROLE: 'api' })]);
  for (const send of [read, (service: TestService) => readWithKey(service, env.BADGE_DEMO_API_KEY)]) {
    // The second process gets far fewer requests than the quota of 100, so only shared counts can reject them.
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

test('while the database is unavailable, a process limits requests by its own counts; afterwards the counts are shared again', {
  tags: ['slow'],
}, async () => {
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

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['2001:db8:1:2::1', '2001:db8:1:2'],
  ['2001:DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2'],
  ['2001:db8:1:3::1', '2001:db8:1:3'],
  ['2001:db8::', '2001:db8:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
  ['not an address', 'not an address'],
])('the address %s is counted as %s', (address, group) => {
  expect(toAddressGroup(address)).toBe(group);
});

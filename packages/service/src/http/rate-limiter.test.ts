import { ERRORS } from '@badge/protocol';
import { type FastifyRequest, fastify } from 'fastify';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../domain/refusal.ts';
import { createRequestCounter } from '../rate-limits/request-counter.ts';
import { insertDemoTokens } from '../testing/insert-demo-tokens.ts';
import { flood, isLimited, read, readWithKey, start } from '../testing/rate-limits.ts';
import type { TestService } from '../testing/services.ts';
import { toAddressGroup } from './caller-names.ts';
import { createRateLimiter } from './rate-limiter.ts';

const toAddress = (number: number) => `0x${number.toString(16).padStart(40, '0')}`;

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
    // One request is counted before the body is read. A window can end between this and the count of the
    // others.
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

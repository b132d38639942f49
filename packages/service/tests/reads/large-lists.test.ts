import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Token } from '@badge/protocol';
import { createDatabase } from '@badge/test-support/databases';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createToken } from '../../src/testing/creations.ts';
import { LARGE_TOKEN_BYTES } from '../../src/testing/insert-demo-tokens.ts';
import {
  largeListsFixture,
  range,
  requestWithoutReading,
  TOKEN_COUNT,
} from '../../src/testing/large-lists-fixture.ts';
import { startTestService } from '../../src/testing/services.ts';

const fixture = largeListsFixture();
const { startServer, expectTokens } = fixture;

test.each([
  ['/v1/tokens?limit=3&offset=60', [61, 62, 63]],
  ['/v1/tokens?limit=70&offset=5&order=desc', range(TOKEN_COUNT - 74, TOKEN_COUNT - 5).reverse()],
  ['/v1/tokens?limit=500&offset=132', []],
  ['/v1/communities/demo/tokens?limit=9&offset=58', range(59, 67)],
])('%s returns every token of the page once, complete and in order', expectTokens);

test('a large token and its metadata are returned whole', async () => {
  const token = (await (await fixture.service.call('/v1/tokens/61')).json()) as Token;
  expect(JSON.stringify(token).length).toBeGreaterThan(LARGE_TOKEN_BYTES);
  const metadata = (await (await fixture.service.call('/metadata/61')).json()) as { properties: Token };
  expect(metadata.properties.links).toEqual(token.links);
});

test('a response to HEAD has no body and, for a short page, the Content-Length of GET', async () => {
  const small = await fixture.service.call('/v1/tokens?limit=2', { method: 'HEAD' });
  const body = await (await fixture.service.call('/v1/tokens?limit=2')).text();
  expect(small.headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
  const large = await fixture.service.call('/v1/tokens?limit=1000', { method: 'HEAD' });
  expect([large.status, await large.text()]).toEqual([200, '']);
});

test('an error in the middle of a page closes the connection', async () => {
  const [response] = (await once(get(`${fixture.service.url}/v1/tokens?limit=1000`), 'response')) as [
    IncomingMessage,
  ];
  response.pause();
  await query(fixture.service.databaseUrl, 'alter table tokens rename to renamed_tokens');
  onTestFinished(async () => {
    await query(fixture.service.databaseUrl, 'alter table if exists renamed_tokens rename to tokens');
  });
  expect(response.statusCode).toBe(200);
  await expect(text(response)).rejects.toThrow('aborted');
});

test('a request that waits too long for its share gets 503 with Retry-After', async () => {
  const { port } = await startServer({ responseMemory: { perCaller: LARGE_TOKEN_BYTES, maxWaitMs: 300 } });
  const stalled = await requestWithoutReading(port);
  await once(stalled, 'readable');
  await vi.waitFor(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/tokens?limit=3`);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.json()).toMatchObject({ name: 'Unavailable' });
  }, WAIT_OPTIONS);
});

test('a client that disconnects while its request waits causes no internal error', async () => {
  const { port, seen } = await startServer({ responseMemory: { perCaller: LARGE_TOKEN_BYTES } });
  const stalled = await requestWithoutReading(port);
  await once(stalled, 'readable');
  const waiting = await requestWithoutReading(port);
  await vi.waitFor(() => expect(seen.requests).toBe(2), WAIT_OPTIONS);
  waiting.destroy();
  await vi.waitFor(() => expect(seen.errors).toMatchObject([{ errorName: 'RequestTimeout' }]), WAIT_OPTIONS);
});

test('slow reads of one address leave database connections for writes and for other addresses', async () => {
  const databaseUrl = await createDatabase();
  const proxied = await startTestService({ DATABASE_URL: databaseUrl, BADGE_TRUST_PROXY: '127.0.0.1' });
  onTestFinished(() => proxied.stop());
  await createToken(proxied);
  const lockHolder = new pg.Client({ connectionString: databaseUrl });
  await lockHolder.connect();
  onTestFinished(() => lockHolder.end());
  await lockHolder.query('begin');
  await lockHolder.query('lock table claims in access exclusive mode');

  const path = '/v1/tokens/1/owners';
  const headers = { 'X-Forwarded-For': '192.0.2.1' };
  const slow = range(1, 40).map(() => proxied.call(path, { headers }));
  await vi.waitFor(async () => {
    const { rows } = await lockHolder.query("select from pg_locks where relation = 'claims'::regclass");
    expect(rows.length).toBeGreaterThan(1);
  }, WAIT_OPTIONS);
  await createToken(proxied);
  const response = await proxied.call('/v1/tokens/2', { headers: { 'X-Forwarded-For': '192.0.2.2' } });
  expect(await response.json()).toMatchObject({ tokenId: 2 });
  await lockHolder.query('commit');
  for (const { status } of await Promise.all(slow)) expect(status).toBe(200);
});

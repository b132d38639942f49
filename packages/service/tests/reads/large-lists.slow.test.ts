import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Operation, Token } from '@badge/protocol';
import { createDatabase } from '@badge/test-support/databases';
import { makeDataDir, startTestBadge, WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { expect, test, vi } from 'vitest';
import { createToken } from '../../src/testing/creations.ts';
import { insertDemoTokens, LARGE_TOKEN_BYTES } from '../../src/testing/insert-demo-tokens.ts';
import {
  largeListsFixture,
  range,
  requestWithoutReading,
  TOKEN_COUNT,
} from '../../src/testing/large-lists-fixture.ts';

const fixture = largeListsFixture();
const { startServer, expectTokens } = fixture;

const LONG_LISTS: [path: string, tokenIds: number[]][] = [
  ['/v1/tokens?limit=1000', range(1, TOKEN_COUNT)],
  ['/v1/tokens?limit=1000&order=desc', range(1, TOKEN_COUNT).reverse()],
  ['/v1/tokens?limit=110&offset=5', range(6, 115)],
  ['/v1/communities/demo/tokens?limit=1000', range(1, TOKEN_COUNT)],
];

test.each(LONG_LISTS)('%s returns every token of the page once, complete and in order', expectTokens);

test('clients that stop reading are disconnected, and the next request of their address is served', async () => {
  const { port, countConnections } = await startServer(
    { responseMemory: { perCaller: LARGE_TOKEN_BYTES } },
    { readPieceMs: 500 },
  );
  await requestWithoutReading(port);
  await requestWithoutReading(port);
  const request = get({ port, path: '/v1/tokens?limit=3&offset=60', agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(await json(response)).toMatchObject({ data: [{}, {}, {}] });
  await vi.waitFor(async () => expect(await countConnections()).toBe(0), WAIT_OPTIONS);
});

test('500 concurrent requests of one address are all served', async () => {
  const pages = await Promise.all(
    range(1, 500).map(
      async () => (await (await fixture.service.call('/v1/tokens')).json()) as { data: Token[] },
    ),
  );
  expect(pages.map(({ data }) => data.length)).toEqual(Array(500).fill(50));
});

test('many clients of one address that stop reading large pages need little memory, and others are served', async () => {
  const databaseUrl = await createDatabase();
  const badge = await startTestBadge({
    DATABASE_URL: databaseUrl,
    BADGE_DATA_DIR: await makeDataDir(),
    BADGE_RATE_LIMIT: '100/50',
    BADGE_TRUST_PROXY: '127.0.0.1',
  });
  await createToken(badge);
  await insertDemoTokens(databaseUrl, 60, 'large');
  const readMemory = async () => {
    const metrics = await (await fetch(`${badge.url}/metrics`)).text();
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]);
  };
  const memoryBefore = await readMemory();
  const port = Number(new URL(badge.url).port);
  const stalled = await Promise.all(range(1, 20).map(() => requestWithoutReading(port, '192.0.2.1')));
  await Promise.race(stalled.map((socket) => once(socket, 'readable')));

  const headers = { 'X-Forwarded-For': '192.0.2.2' };
  // Each page has 1.2 MB. An address may read 16 MB in five seconds.
  for (const _ of range(1, 10)) {
    const response = await fetch(`${badge.url}/v1/tokens?limit=2`, { headers });
    expect(((await response.json()) as { data: Token[] }).data).toHaveLength(2);
  }
  const operation: Operation = await createToken(badge);
  expect(operation.resourceId).toBe(62);
  expect((await readMemory()) - memoryBefore).toBeLessThan(400e6);
});

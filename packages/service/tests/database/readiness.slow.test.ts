import type { Operation } from '@badge/protocol';
import { createDatabase } from '@badge/test-support/databases';
import { startTestDatabaseProxy, WAIT_OPTIONS, waitForBlockedStatements } from '@badge/test-support/fixtures';
import { newWallet, signedToken } from '@badge/test-support/signing';
import { holdLock, query } from '@badge/test-support/sql';
import { describe, expect, test, vi } from 'vitest';
import { IS_DEDICATED_SESSION } from '../../src/testing/dedicated-session.ts';
import {
  READY,
  readinessFixture,
  readReadiness,
  waitForReadiness,
} from '../../src/testing/readiness-fixture.ts';

const { start } = readinessFixture();

const POOL_CONNECTIONS = 16;

vi.setConfig({ testTimeout: 120_000 });

describe('/readyz returns 503', () => {
  test('while the database does not respond, but /healthz returns 200', async () => {
    const proxy = await startTestDatabaseProxy(await createDatabase());
    const service = await start({ DATABASE_URL: proxy.url });
    expect(await readReadiness(service)).toEqual(READY);
    proxy.drop();
    await waitForReadiness(service, { httpStatus: 503, detail: 'The database does not respond.' });
    const probes = Array.from({ length: 20 }, () => readReadiness(service));
    expect((await service.call('/healthz')).status).toBe(200);
    for (const probe of probes) expect(await probe).toMatchObject({ httpStatus: 503, name: 'Unavailable' });
    proxy.heal();
    await waitForReadiness(service, READY);
  });
});

test('while all connections of the pool are in use, /readyz returns 200 and other requests get 503', async () => {
  const service = await start({ BADGE_ROLE: 'all' });
  const created = await service.call('/v1/tokens', { key: service.apiKey, json: await signedToken() });
  const operation = await service.call(`${created.headers.get('location')}?wait=30`);
  const { resourceId } = (await operation.json()) as Operation;
  const release = await holdLock(service.databaseUrl, 'claims', 'access exclusive');
  // Requests for an owner: lists may use only a part of the pool, and tokens and communities share queries.
  const path = `/v1/tokens/${resourceId}/owners/${newWallet().address}`;
  const reads = Array.from({ length: 2 * POOL_CONNECTIONS }, () => service.call(path));
  await waitForBlockedStatements(service.databaseUrl, POOL_CONNECTIONS);
  expect(await readReadiness(service)).toEqual(READY);
  const responses = await Promise.all(reads);
  await release();
  for (const response of responses) {
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
  }
  await vi.waitFor(
    async () => expect((await service.call('/v1/communities/demo')).status).toBe(200),
    WAIT_OPTIONS,
  );
});

const findDedicatedSessions = (url: string) =>
  query<{ pid: number }>(
    url,
    `select pid from pg_stat_activity where datname = current_database()
     and ${IS_DEDICATED_SESSION} order by pid`,
  );

test('while the database does not respond, requests that need it get 503; when it responds again, they succeed', async () => {
  const proxy = await startTestDatabaseProxy(await createDatabase());
  const service = await start({ DATABASE_URL: proxy.url });
  const paths = ['/v1/tokens', '/v1/communities/demo', '/v1/communities/demo/nftTypes'];
  const read = (path: string) => service.call(path, { key: service.apiKey });
  for (const path of paths) expect((await read(path)).status).toBe(200);
  const oldConnections = await vi.waitFor(async () => {
    const connections = await findDedicatedSessions(service.databaseUrl);
    expect(connections).toHaveLength(1);
    return connections;
  }, WAIT_OPTIONS);
  proxy.drop();
  const responses = await Promise.all(paths.flatMap((path) => Array.from({ length: 20 }, () => read(path))));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]));
  proxy.heal();
  for (const path of paths) {
    await vi.waitFor(async () => expect((await read(path)).status).toBe(200), WAIT_OPTIONS);
  }
  // The old connection of the dedicated session is half open. The service detects this with a query, and
  // opens another.
  await vi.waitFor(async () => {
    const connections = await findDedicatedSessions(service.databaseUrl);
    expect(connections).toHaveLength(1);
    expect(connections).not.toEqual(oldConnections);
  }, WAIT_OPTIONS);
});

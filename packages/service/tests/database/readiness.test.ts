import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { waitForBlockedStatements } from '@badge/test-support/fixtures';
import { holdLock, query } from '@badge/test-support/sql';
import { describe, expect, test, vi } from 'vitest';
import {
  READY,
  readinessFixture,
  readReadiness,
  waitForReadiness,
} from '../../src/testing/readiness-fixture.ts';

const { services, start } = readinessFixture();

vi.setConfig({ testTimeout: 120_000 });

describe('/readyz returns 503', () => {
  test('while the database refuses connections', async () => {
    const service = await start();
    expect(await readReadiness(service)).toEqual(READY);
    const url = new URL(service.databaseUrl);
    const name = url.pathname.slice(1);
    url.pathname = '/postgres';
    await query(url.href, `alter database ${name} allow_connections false`);
    await query(url.href, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      name,
    ]);
    await waitForReadiness(service, { httpStatus: 503, detail: 'The database cannot be reached.' });
    expect((await service.call('/healthz')).status).toBe(200);
    await query(url.href, `alter database ${name} allow_connections true`);
    await waitForReadiness(service, READY);
  });

  test('if the database lacks a migration', async () => {
    const service = await start();
    await query(service.databaseUrl, 'alter table kysely_migration rename to hidden');
    await waitForReadiness(service, {
      httpStatus: 503,
      detail: 'The database is not migrated to this release.',
    });
  });

  test('while the process is stopping, and closes the connection', async () => {
    const service = await start();
    const release = await holdLock(service.databaseUrl, 'tokens', 'access exclusive');
    const blockedRead = service.call('/v1/tokens');
    await waitForBlockedStatements(service.databaseUrl, 1);
    const stopped = service.stop();
    // So `afterEach` does not stop the service again.
    services.splice(0);
    const { status, connection, body } = await probeOnNewConnection(service.url);
    await release();
    const response = await blockedRead;
    await stopped;
    expect({ status, connection, detail: JSON.parse(body).detail }).toEqual({
      status: 503,
      connection: 'close',
      detail: 'The service is stopping.',
    });
    expect({ status: response.status, connection: response.headers.get('connection') }).toEqual({
      status: 200,
      connection: 'close',
    });
  });
});

/** Requests /readyz on a connection of its own. */
async function probeOnNewConnection(url: string) {
  const sent = request(`${url}/readyz`, { agent: false });
  const responded = once(sent, 'response');
  sent.end();
  const [response] = (await responded) as [IncomingMessage];
  const { statusCode: status, headers } = response;
  return { status, connection: headers.connection, body: await text(response) };
}

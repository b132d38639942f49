import { randomUUID } from 'node:crypto';
import {
  makeDataDir,
  spawnTestBadge,
  startTestDatabaseProxy,
  WAIT_OPTIONS,
} from '@badge/test-support/fixtures';
import { type ReplicatedServers, startReplicatedServers } from '@badge/test-support/replicated-servers';
import { newAddress, signedToken } from '@badge/test-support/signing';
import { holdLock, query } from '@badge/test-support/sql';
import { databaseTarget } from '@badge/test-support/tcp-proxy';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { openDedicatedSession } from '../../src/storage/dedicated-session.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { createSignals } from '../../src/storage/signals.ts';
import { createTokenChangeReader } from '../../src/storage/token-changes.ts';
import { IS_DEDICATED_SESSION } from '../../src/testing/dedicated-session.ts';
import { IS_OPERATION_INSERT } from '../../src/testing/operation-inserts.ts';
import { startTestService, type TestService } from '../../src/testing/services.ts';

vi.setConfig({ testTimeout: 240_000 });

async function startServers(): Promise<ReplicatedServers> {
  const servers = await startReplicatedServers();
  onTestFinished(() => servers.remove());
  return servers;
}

async function startService(env: Record<string, string>): Promise<TestService> {
  const service = await startTestService(env);
  onTestFinished(() => service.stop());
  return service;
}

const readReadiness = async ({ url }: { url: string }) => {
  const response = await fetch(`${url}/readyz`);
  return { httpStatus: response.status, ...((await response.json()) as object) };
};
const waitForReadiness = (service: { url: string }, state: object) =>
  vi.waitFor(async () => expect(await readReadiness(service)).toMatchObject(state), WAIT_OPTIONS);
const waitForSessions = (url: string, condition: string, count: number, application = 'badge') =>
  vi.waitFor(async () => {
    const sessions = `select from pg_stat_activity where application_name = '${application}' and ${condition}`;
    expect(await query(url, sessions)).toHaveLength(count);
  }, WAIT_OPTIONS);
const createToken = async (service: TestService) => {
  const accepted = await service.call('/v1/tokens', { key: service.apiKey, json: await signedToken() });
  const location = accepted.headers.get('location');
  return { status: accepted.status, location };
};

test('connections to a standby are not used, and are replaced when the address leads to the primary', async () => {
  const servers = await startServers();
  const proxy = await startTestDatabaseProxy(servers.primaryUrl);
  const service = await startService({ DATABASE_URL: proxy.url });
  expect(await createToken(service)).toMatchObject({ status: 202 });

  proxy.redirectAll(databaseTarget(servers.standbyUrl));
  await waitForReadiness(service, { httpStatus: 503, detail: 'The database server is a standby.' });
  expect(await createToken(service)).toMatchObject({ status: 503 });
  expect((await service.call('/v1/tokens')).status).toBe(503);

  proxy.redirectNewConnections(databaseTarget(servers.primaryUrl));
  await waitForReadiness(service, { httpStatus: 200, status: 'ready' });
  const { status, location } = await createToken(service);
  expect(status).toBe(202);
  expect(await (await service.call(`${location}?wait=30`)).json()).toMatchObject({ status: 'success' });
});

test('if the address moves from an old primary that stays up, all connections are replaced', async () => {
  const servers = await startServers();
  const proxy = await startTestDatabaseProxy(servers.primaryUrl);
  const service = await startService({ DATABASE_URL: proxy.url });
  const worker = await startService({ DATABASE_URL: proxy.url, BADGE_ROLE: 'worker', PORT: '' });
  expect(await createToken(service)).toMatchObject({ status: 202 });
  await servers.promoteStandby();

  proxy.redirectNewConnections(databaseTarget(servers.standbyUrl));
  await vi.waitFor(async () => {
    const sessions = "select from pg_stat_activity where application_name = 'badge'";
    expect(await query(servers.primaryUrl, sessions)).toEqual([]);
    const listeners = `${sessions} and ${IS_DEDICATED_SESSION}`;
    // One for each of the two processes.
    expect(await query(servers.standbyUrl, listeners)).toHaveLength(2);
  }, WAIT_OPTIONS);
  // Nobody can probe the worker, which does not listen. It has replaced its connections by itself.
  expect(worker.port).toBeUndefined();
  const { location } = await createToken(service);
  expect(await (await service.call(`${location}?wait=30`)).json()).toMatchObject({ status: 'success' });
});

test('if the address accepts no new connection, the connections that stay open are not used', async () => {
  const servers = await startServers();
  const proxy = await startTestDatabaseProxy(servers.primaryUrl);
  const service = await startService({ DATABASE_URL: proxy.url });
  expect((await service.call('/v1/tokens')).status).toBe(200);

  proxy.redirectNewConnections({ path: '/nonexistent' });
  await waitForReadiness(service, { httpStatus: 503, detail: 'The database cannot be reached.' });
  expect((await service.call('/v1/tokens')).status).toBe(503);

  proxy.redirectNewConnections(databaseTarget(servers.primaryUrl));
  await waitForReadiness(service, { httpStatus: 200, status: 'ready' });
  expect((await service.call('/v1/tokens')).status).toBe(200);
});

test('when the address moves, a request whose commit waits on the old primary gets 503 within 15 seconds', async () => {
  const servers = await startServers();
  await servers.replicateSynchronously();
  const proxy = await startTestDatabaseProxy(servers.primaryUrl);
  const service = await startService({ DATABASE_URL: proxy.url, BADGE_ROLE: 'api' });
  expect(await createToken(service)).toMatchObject({ status: 202 });
  await servers.promoteStandby();
  const waiting = createToken(service);
  await vi.waitFor(async () => {
    const commits = `select from pg_stat_activity where wait_event = 'SyncRep' and ${IS_OPERATION_INSERT}`;
    expect(await query(servers.primaryUrl, commits)).toHaveLength(1);
  }, WAIT_OPTIONS);

  const movedAtMs = performance.now();
  proxy.redirectNewConnections(databaseTarget(servers.standbyUrl));
  expect(await waiting).toMatchObject({ status: 503 });
  // Without the replacement, the request would get its 503 only after 20 seconds of silence.
  expect(performance.now() - movedAtMs).toBeLessThan(15_000);
  expect(await createToken(service)).toMatchObject({ status: 202 });
});

test('writes on a new primary are not refused because of the backlog on the old one', async () => {
  const servers = await startServers();
  const proxy = await startTestDatabaseProxy(servers.primaryUrl);
  const service = await startService({ DATABASE_URL: proxy.url, BADGE_ROLE: 'api' });
  await servers.promoteStandby();
  expect(await createToken(service)).toMatchObject({ status: 202 });
  await query(servers.primaryUrl, "update operations set created_at = now() - interval '100 s'");
  await vi.waitFor(
    async () => expect(await createToken(service)).toMatchObject({ status: 503 }),
    WAIT_OPTIONS,
  );

  proxy.redirectNewConnections(databaseTarget(servers.standbyUrl));
  await vi.waitFor(async () => {
    expect(await createToken(service)).toMatchObject({ status: 202 });
    expect(await query(servers.standbyUrl, 'select from operations')).not.toEqual([]);
  }, WAIT_OPTIONS);
});

test('/readyz returns 503 while commits wait for a synchronous standby, and the checks leave no sessions behind', async () => {
  const servers = await startServers();
  await servers.replicateSynchronously();
  const service = await startService({ DATABASE_URL: servers.primaryUrl, BADGE_ROLE: 'api' });
  await waitForReadiness(service, { httpStatus: 200, status: 'ready' });
  await servers.stopStandby();
  const waiting = { httpStatus: 503, detail: 'Commits wait for a synchronous standby.' };
  await waitForReadiness(service, waiting);
  for (let probe = 0; probe < 5; probe += 1) expect(await readReadiness(service)).toMatchObject(waiting);
  // At most the session of one running check waits.
  const sessions = "select from pg_stat_activity where application_name = 'badge' and wait_event = 'SyncRep'";
  expect((await query(servers.primaryUrl, sessions)).length).toBeLessThanOrEqual(1);
  await servers.startStandby();
  await waitForReadiness(service, { httpStatus: 200, status: 'ready' });
});

test('commits that accept and settle operations wait for a synchronous standby together, not one after the other', async () => {
  const { primaryUrl, ...servers } = await startServers();
  await servers.replicateSynchronously();
  const service = await startService({ DATABASE_URL: primaryUrl });
  // The lock delays the worker's commit until the standby has stopped.
  const releaseTokenCounter = await holdLock(primaryUrl, 'token_counter', 'access exclusive');
  const accepted = [await createToken(service)];
  await waitForSessions(primaryUrl, "wait_event_type = 'Lock'", 1);
  await servers.stopStandby();
  await releaseTokenCounter();
  // Now the worker's commit waits for the standby. The commits of two requests wait beside it.
  await waitForSessions(primaryUrl, "wait_event = 'SyncRep' and query = 'commit'", 1);
  const accepting: ReturnType<typeof createToken>[] = [];
  for (const count of [1, 2]) {
    accepting.push(createToken(service));
    await waitForSessions(primaryUrl, `wait_event = 'SyncRep' and ${IS_OPERATION_INSERT}`, count);
  }
  await servers.startStandby();
  accepted.push(...(await Promise.all(accepting)));
  for (const { status, location } of accepted) {
    expect(status).toBe(202);
    expect(await (await service.call(`${location}?wait=30`)).json()).toMatchObject({ status: 'success' });
  }
});

test('reads of changes wait only briefly while another program keeps notifications from being sent', async () => {
  const { primaryUrl, ...servers } = await startServers();
  const connection = { connectionString: primaryUrl };
  const onError = vi.fn();
  const database = openDatabase(connection, onError);
  onTestFinished(() => database.destroy());
  await migrate(database);
  const session = openDedicatedSession(connection, onError);
  onTestFinished(() => session.close());
  const signals = createSignals(session);
  const { catchUp } = createTokenChangeReader(session, { onError, database });
  await vi.waitFor(async () => expect(await catchUp()).toBe(true), WAIT_OPTIONS);
  await servers.replicateSynchronously();
  await servers.stopStandby();

  const program = new pg.Client(primaryUrl);
  await program.connect();
  onTestFinished(() => program.end());
  const notifications: string[] = [];
  program.on('notification', ({ channel }) => notifications.push(channel));
  await program.query('listen badge_operations_settled');
  // The commit of these statements waits for the standby, and keeps PostgreSQL's lock for notifications.
  const committed = program.query("select pg_logical_emit_message(true, '', ''); notify other_channel");
  await waitForSessions(primaryUrl, "wait_event = 'SyncRep'", 1, '');
  signals.send('badge_operations_settled');
  const startedMs = performance.now();
  while (performance.now() - startedMs < 1_500) {
    const sentMs = performance.now();
    expect(await catchUp()).toBe(true);
    expect(performance.now() - sentMs).toBeLessThan(1_000);
  }
  expect(onError).not.toHaveBeenCalled();

  await servers.startStandby();
  await committed;
  await vi.waitFor(() => expect(notifications).toContain('badge_operations_settled'), WAIT_OPTIONS);
});

test('after a failover, a claim that was committed but not acknowledged is found by its Idempotency-Key', async () => {
  const servers = await startServers();
  await servers.replicateSynchronously();
  const proxy = await startTestDatabaseProxy(servers.primaryUrl);
  const service = await startService({ DATABASE_URL: proxy.url });
  const { location: created } = await createToken(service);
  expect(await (await service.call(`${created}?wait=30`)).json()).toMatchObject({ resourceId: 1 });
  const headers = { 'Idempotency-Key': randomUUID() };
  const json = { claimingAddress: newAddress() };
  const claim = () => service.call('/v1/tokens/1/claim', { key: service.apiKey, json, headers });
  const findClaims = (url: string) =>
    query<{ operation_id: string }>(
      url,
      "select operation_id from operations where operation_type = 'claim'",
    );

  const releaseOperations = await holdLock(servers.primaryUrl, 'operations', 'share row exclusive');
  const lost = claim();
  await waitForSessions(servers.primaryUrl, "wait_event_type = 'Lock'", 1);
  // The primary has received the insert. From here on, the proxy holds back its response.
  proxy.hang();
  await releaseOperations();
  await vi.waitFor(async () => expect(await findClaims(servers.primaryUrl)).toHaveLength(1), WAIT_OPTIONS);
  await servers.promoteStandby();
  proxy.redirectAll(databaseTarget(servers.standbyUrl));
  proxy.heal();
  expect((await lost).status).toBe(503);

  const again = await vi.waitFor(async () => {
    const response = await claim();
    expect(response.status).toBe(202);
    return response;
  }, WAIT_OPTIONS);
  const [operation] = await findClaims(servers.standbyUrl);
  const location = again.headers.get('location');
  expect(location).toBe(`/v1/operations/${operation?.operation_id}`);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await (await service.call(`${location}?wait=30`)).json()).toMatchObject({ status: 'success' });
  expect(await findClaims(servers.standbyUrl)).toHaveLength(1);
});

test('a start on a standby waits until the address leads to the primary, unless it is stopped or BADGE_DATABASE_WAIT is 0', async () => {
  const servers = await startServers();
  const proxy = await startTestDatabaseProxy(servers.standbyUrl);
  const env = { DATABASE_URL: proxy.url, BADGE_DATA_DIR: await makeDataDir(), PORT: '0' };
  const badge = spawnTestBadge(env);
  expect(await badge.waitForLog('waiting for the database')).toMatchObject({
    reason: 'DatabaseReadOnly: The database server is a standby.',
  });
  const stopped = spawnTestBadge(env);
  await stopped.waitForLog('waiting for the database');
  expect(await stopped.end('SIGTERM')).toBe(0);
  const withoutWait = spawnTestBadge({ ...env, BADGE_DATABASE_WAIT: '0' });
  expect(await withoutWait.closed).toBe(1);
  expect(withoutWait.output.stderr).toContain('badge: The database server is a standby.');

  proxy.redirectNewConnections(databaseTarget(servers.primaryUrl));
  const service = await badge.ready();
  expect(await readReadiness(service)).toMatchObject({ httpStatus: 200 });
});

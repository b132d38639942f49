import { randomUUID } from 'node:crypto';
import type { BadgeService } from '@badge/test-support/badge-process';
import { createDatabase } from '@badge/test-support/databases';
import {
  makeDataDir,
  startTestBadge,
  startTestDatabaseProxy,
  WAIT_OPTIONS,
} from '@badge/test-support/fixtures';
import { signedToken } from '@badge/test-support/signing';
import { holdLock, query } from '@badge/test-support/sql';
import { expect, test, vi } from 'vitest';
import { makeKey } from '../../src/domain/api-keys/rules.ts';
import type { TokenBody } from '../../src/testing/creations.ts';

// Requests with one idempotency key and one body must create one operation, at whatever step a process is
// killed or its connection is cut. Each 202 must name this operation.

type Service = Pick<BadgeService, 'url' | 'apiKey'>;

/** Starts two services on one database. The connections of the first pass through a proxy. */
async function startTwoServices() {
  const databaseUrl = await createDatabase();
  const proxy = await startTestDatabaseProxy(databaseUrl);
  const keys = { BADGE_DEMO_API_KEY: makeKey('sandbox'), BADGE_ADMIN_KEY: makeKey('admin') };
  const startAt = async (url: string) =>
    startTestBadge({ DATABASE_URL: url, BADGE_DATA_DIR: await makeDataDir(), ...keys });
  const [first, second] = await Promise.all([startAt(proxy.url), startAt(databaseUrl)]);
  return { databaseUrl, proxy, first, second, body: await signedToken(), key: randomUUID() };
}

/** Sends the body. Returns undefined if there was no response. */
async function send({ url, apiKey }: Service, body: TokenBody, key: string): Promise<Response | undefined> {
  return await fetch(`${url}/v1/tokens`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${apiKey}`,
      'Idempotency-Key': key,
    },
    body: JSON.stringify(body),
  }).catch(() => undefined);
}

const sendTimes = (times: number, ...args: Parameters<typeof send>) =>
  Array.from({ length: times }, () => send(...args));

const kill = async (badge: BadgeService) => expect(await badge.end('SIGKILL')).toBe('SIGKILL');

const countOperations = async (databaseUrl: string) =>
  (await query(databaseUrl, 'select from operations')).length;

const waitForBlockedStatements = (databaseUrl: string, count: number) =>
  vi.waitFor(async () => {
    const waiting = await query(
      databaseUrl,
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    expect(waiting.length).toBeGreaterThanOrEqual(count);
  }, WAIT_OPTIONS);

/**
 * Sends the request ten times more. Expects that these responses and the given ones name one operation, and
 * that it created one token.
 */
async function expectOneOperation(
  { databaseUrl, second, body, key }: Awaited<ReturnType<typeof startTwoServices>>,
  responses: (Response | undefined)[],
): Promise<void> {
  const again = await Promise.all(sendTimes(10, second, body, key));
  const received = [...responses, ...again].filter((response) => response !== undefined);
  expect(received.length).toBeGreaterThanOrEqual(10);
  for (const { status } of received) expect(status).toBe(202);
  const locations = new Set(received.map(({ headers }) => headers.get('location')));
  expect(locations.size).toBe(1);
  const [location] = locations;
  const operation = await (await fetch(`${second.url}${location}?wait=30`)).json();
  expect(operation).toMatchObject({ status: 'success', resourceId: 1 });
  expect(await countOperations(databaseUrl)).toBe(1);
  expect(await query(databaseUrl, 'select from tokens')).toHaveLength(1);
  expect(await query(databaseUrl, 'select from idempotency_keys')).toHaveLength(1);
}

test('a kill before the insert reaches the database leaves one operation', async () => {
  const setup = await startTwoServices();
  const { proxy, first, second, body, key } = setup;
  // From here on, the proxy holds back what the first service sends to the database.
  proxy.hang();
  const sentToFirst = sendTimes(100, first, body, key);
  const sentToSecond = sendTimes(100, second, body, key);
  await kill(first);
  await expectOneOperation(setup, await Promise.all([...sentToFirst, ...sentToSecond]));
});

test('a kill while the insert waits for a lock leaves one operation, although the insert is committed later', async () => {
  const setup = await startTwoServices();
  const { databaseUrl, first, second, body, key } = setup;
  const release = await holdLock(databaseUrl, 'operations', 'share row exclusive');
  const sentToFirst = sendTimes(100, first, body, key);
  await waitForBlockedStatements(databaseUrl, 1);
  const sentToSecond = sendTimes(100, second, body, key);
  await waitForBlockedStatements(databaseUrl, 2);
  await kill(first);
  await release();
  await expectOneOperation(setup, await Promise.all([...sentToFirst, ...sentToSecond]));
});

test('a kill after the commit and before the response leaves one operation', async () => {
  const setup = await startTwoServices();
  const { databaseUrl, proxy, first, second, body, key } = setup;
  const release = await holdLock(databaseUrl, 'operations', 'share row exclusive');
  const sentToFirst = sendTimes(100, first, body, key);
  await waitForBlockedStatements(databaseUrl, 1);
  // The database has received the insert. From here on, the proxy holds back its response.
  proxy.hang();
  await release();
  await vi.waitFor(async () => expect(await countOperations(databaseUrl)).toBe(1), WAIT_OPTIONS);
  const sentToSecond = sendTimes(100, second, body, key);
  await kill(first);
  await expectOneOperation(setup, await Promise.all([...sentToFirst, ...sentToSecond]));
});

test('a kill after a response leaves one operation', async () => {
  const setup = await startTwoServices();
  const { first, second, body, key } = setup;
  const sentToFirst = sendTimes(100, first, body, key);
  const sentToSecond = sendTimes(100, second, body, key);
  await Promise.any(
    sentToFirst.map(async (sent) => {
      if ((await sent) === undefined) throw new Error('no response');
    }),
  );
  await kill(first);
  await expectOneOperation(setup, await Promise.all([...sentToFirst, ...sentToSecond]));
});

test('if the connection to the database is cut after the commit, the request returns 503 or the operation, and its retry returns the operation', async () => {
  const setup = await startTwoServices();
  const { databaseUrl, proxy, first, body, key } = setup;
  const release = await holdLock(databaseUrl, 'operations', 'share row exclusive');
  const sent = send(first, body, key);
  await waitForBlockedStatements(databaseUrl, 1);
  // The database has received the insert. The proxy holds back its response until it cuts the connection.
  proxy.hang();
  await release();
  await vi.waitFor(async () => expect(await countOperations(databaseUrl)).toBe(1), WAIT_OPTIONS);
  proxy.cut();
  proxy.heal();
  const response = await sent;
  expect([202, 503]).toContain(response?.status);
  const retry = await vi.waitFor(async () => {
    const again = await send(first, body, key);
    expect(again?.status).toBe(202);
    return again;
  }, WAIT_OPTIONS);
  await expectOneOperation(setup, [retry]);
});

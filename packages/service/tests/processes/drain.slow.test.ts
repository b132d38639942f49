import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { BadgeService } from '@badge/test-support/badge-process';
import {
  embeddedDatabaseUrl,
  expectNothingRuns,
  makeDataDir,
  startTestBadge,
  WAIT_OPTIONS,
} from '@badge/test-support/fixtures';
import { holdLock, query } from '@badge/test-support/sql';
import { expect, test, vi } from 'vitest';
import { expectTokensOf, postTokens, signTokens, type TokenBody } from '../../src/testing/creations.ts';
import { IS_OPERATION_INSERT } from '../../src/testing/operation-inserts.ts';

/** A request whose headers the service has received, and whose body has not been sent. */
interface HeldRequest {
  sent: ClientRequest;
  response: Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: string }>;
}

/**
 * Sends the headers of a request and waits for the 100 Continue, which shows that the service has received
 * them.
 */
async function holdRequest(
  url: string,
  method: string,
  headers: Record<string, string | number>,
): Promise<HeldRequest> {
  const sent = request(url, { agent: false, method, headers: { ...headers, Expect: '100-continue' } });
  sent.flushHeaders();
  const response = once(sent, 'response').then(async ([received]: IncomingMessage[]) => {
    if (received === undefined) throw new Error('no response');
    return { status: received.statusCode, headers: received.headers, body: await text(received) };
  });
  await once(sent, 'continue');
  return { sent, response };
}

function holdCreation({ url, apiKey }: BadgeService, body: TokenBody): Promise<HeldRequest> {
  return holdRequest(`${url}/v1/tokens`, 'POST', {
    Authorization: `Bearer ${apiKey}`,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(JSON.stringify(body)),
  });
}

test('a stop by SIGTERM ends 50 requests with `wait` and completes 50 creations in flight', async () => {
  await expectExactStop((service) => service.end('SIGTERM'));
});

test("a stop by a terminal's Ctrl-C ends 50 requests with `wait` and completes 50 creations in flight", async () => {
  await expectExactStop((service) => service.endGroup('SIGINT'));
});

async function expectExactStop(stop: (service: BadgeService) => Promise<unknown>): Promise<void> {
  const bodies = await signTokens(100);
  const waitedFor = bodies.slice(0, 50);
  // These 50 creations are in flight when the stop begins: the service has received the headers of their
  // requests. It has also received the bodies in `sentBefore`. It receives those in `sentAfter` later.
  const sentBefore = bodies.slice(50, 75);
  const sentAfter = bodies.slice(75);
  const dataDir = await makeDataDir();
  const databaseUrl = embeddedDatabaseUrl(dataDir);
  const service = await startTestBadge({ BADGE_DATA_DIR: dataDir }, { detached: true });
  const accepted = new Map<TokenBody, string>();

  // This lock keeps the worker from finishing its batch, so the requests with `wait` keep waiting.
  const releaseTokens = await holdLock(databaseUrl, 'token_counter', 'exclusive');
  await postTokens(service, waitedFor, { accepted });
  expect(accepted.size).toBe(50);
  const waits = await Promise.all(
    [...accepted.values()].map((location) => holdRequest(`${service.url}${location}?wait=30`, 'GET', {})),
  );
  for (const { sent } of waits) sent.end();
  const creationsBefore = await Promise.all(sentBefore.map((body) => holdCreation(service, body)));
  const creationsAfter = await Promise.all(sentAfter.map((body) => holdCreation(service, body)));
  // This lock blocks the inserts of the creations.
  const releaseOperations = await holdLock(databaseUrl, 'operations', 'share row exclusive');
  creationsBefore.forEach(({ sent }, index) => {
    sent.end(JSON.stringify(sentBefore[index]));
  });
  await vi.waitFor(async () => {
    const [inserts] = await query(
      databaseUrl,
      `select count(*)::integer as blocked from pg_stat_activity
       where wait_event_type = 'Lock' and ${IS_OPERATION_INSERT}`,
    );
    expect(inserts).not.toEqual({ blocked: 0 });
  }, WAIT_OPTIONS);

  const exited = stop(service);
  await service.waitForLog('stopping');
  creationsAfter.forEach(({ sent }, index) => {
    sent.end(JSON.stringify(sentAfter[index]));
  });
  for (const wait of waits) {
    const { status, headers, body } = await wait.response;
    expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 200, retryAfter: '1' });
    expect(JSON.parse(body)).toMatchObject({ status: 'pending' });
  }
  await releaseOperations();
  await releaseTokens();
  const sentBodies = [...sentBefore, ...sentAfter];
  for (const [index, { response }] of [...creationsBefore, ...creationsAfter].entries()) {
    const { status, headers, body } = await response;
    expect({ status, body }).toEqual({ status: 202, body: '{}' });
    accepted.set(sentBodies[index] as TokenBody, headers.location ?? '');
  }
  expect(await exited).toBe(0);
  await expectNothingRuns(dataDir);

  await expectTokensOf(await startTestBadge({ BADGE_DATA_DIR: dataDir }), accepted, databaseUrl);
}

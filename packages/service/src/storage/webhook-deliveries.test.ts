import { randomUUID } from 'node:crypto';
import { waitForBlockedStatements } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { OPERATOR, openDemoDatabase } from '../testing/demo-database.ts';
import { letTimePass } from '../testing/webhook-receiver.ts';
import { insertCommunity } from './communities.ts';
import type { Database } from './database.ts';
import { createJobs, type Jobs } from './jobs.ts';
import {
  beginTurn,
  deleteOldDeliveries,
  endTurn,
  listDueDeliveries,
  queueDeliveries,
  recordAttempt,
  type TurnResult,
} from './webhook-deliveries.ts';
import { insertWebhook } from './webhooks.ts';

let url: string;
let db: Database;
let jobs: Jobs;
let lastPosition = 0;

beforeAll(async () => {
  ({ url, db } = await openDemoDatabase());
  await insertCommunity(db, OPERATOR, { community_id: 'other', display_id: '', name: '', description: '' });
  jobs = createJobs(db, db);
});
afterAll(async () => await db.destroy());
beforeEach(async () => {
  await query(url, 'truncate webhooks, webhook_deliveries, pgboss.job, events cascade');
});

async function addWebhook({ communityId = 'demo', events = null as string[] | null } = {}): Promise<string> {
  const webhookId = randomUUID();
  const webhook = {
    communityId,
    webhookId,
    encryptedUrl: Buffer.of(1),
    name: 'test',
    encryptedSecret: Buffer.of(1),
  };
  await db
    .transaction()
    .execute((tx) => insertWebhook(tx, OPERATOR, { ...webhook, events: events as ['badge.claimed'] | null }));
  return webhookId;
}

async function placeEvents(count: number, { communityId = 'demo', type = 'badge.claimed' } = {}) {
  const firstPosition = lastPosition + 1;
  lastPosition += count;
  await query(
    url,
    `insert into events (position, event_id, community_id, type, data, created_at)
     select position, gen_random_uuid(), $1, $2, '{"tokenId": 1}', now() from generate_series($3::bigint, $4::bigint) position`,
    [communityId, type, firstPosition, lastPosition],
  );
  return { firstPosition, lastPosition };
}

const queue = async (placed: { firstPosition: number; lastPosition: number }) =>
  await db.transaction().execute((tx) => queueDeliveries(tx, jobs, placed));
const countDeliveries = async (webhookId: string) =>
  (await query(url, 'select from webhook_deliveries where webhook_id = $1', [webhookId])).length;
const listJobs = async () =>
  await query<{ webhook_id: string; wait_seconds: number }>(
    url,
    `select data->>'webhookId' as webhook_id, greatest(0, extract(epoch from start_after - now()))::float as wait_seconds
     from pgboss.job order by start_after`,
  );
const OUTCOME: TurnResult = {
  hasSucceeded: false,
  hasFailed: false,
  pauseSeconds: null,
  disabledReason: null,
  failingReason: 'it fails',
  maxFailingHours: 72,
};
const end = (webhookId: string, result: Partial<TurnResult> = {}) =>
  db.transaction().execute((tx) => endTurn(tx, jobs, { webhookId, result: { ...OUTCOME, ...result } }));
const attempt = { attemptedAtTimestamp: 1, durationMs: 1, responseStatus: 500, error: 'broken' };
const recordFailure = (deliveryId: string, retryAfterSeconds: number) =>
  recordAttempt(db, { deliveryId, attempt, status: 'pending', retryAfterSeconds });

test('each event is queued for each webhook of its community that has chosen its type', async () => {
  const all = await addWebhook();
  const claims = await addWebhook({ events: ['badge.claimed'] });
  const burns = await addWebhook({ events: ['badge.burnt'] });
  const [disabled, deleted, other] = [
    await addWebhook(),
    await addWebhook(),
    await addWebhook({ communityId: 'other' }),
  ];
  await query(url, 'update webhooks set is_enabled = false where webhook_id = $1', [disabled]);
  await query(url, 'update webhooks set deleted_at = now() where webhook_id = $1', [deleted]);
  await placeEvents(3);
  await queue(await placeEvents(2));
  const counts = await Promise.all([all, claims, burns, disabled, deleted, other].map(countDeliveries));
  expect(counts).toEqual([2, 2, 0, 0, 0, 0]);
  const [due] = await listDueDeliveries(db, all, 10);
  expect(due).toMatchObject({
    event_type: 'badge.claimed',
    attempt_count: 0,
    event: { data: { tokenId: 1 } },
  });
  expect((await listJobs()).map(({ webhook_id }) => webhook_id).sort()).toEqual([all, claims].sort());
});

test('nothing is queued by a transaction that does not commit', async () => {
  const webhookId = await addWebhook();
  const placed = await placeEvents(1);
  const rolledBack = db.transaction().execute(async (tx) => {
    await queueDeliveries(tx, jobs, placed);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await countDeliveries(webhookId)).toBe(0);
  expect(await listJobs()).toEqual([]);
});

test('a webhook has one waiting job, however much is queued; a lost job is replaced', async () => {
  const webhookId = await addWebhook();
  for (let batch = 0; batch < 5; batch += 1) await queue(await placeEvents(2));
  expect(await listJobs()).toHaveLength(1);
  await query(url, 'truncate pgboss.job');
  await letTimePass({ databaseUrl: url }, 61);
  await queue(await placeEvents(1));
  expect(await listJobs()).toEqual([{ webhook_id: webhookId, wait_seconds: 0 }]);
});

test('a turn that begins while deliveries are queued sees them', async () => {
  const webhookId = await addWebhook();
  await queue(await placeEvents(1));
  const placed = await placeEvents(1);
  let turn: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (tx) => {
    // A job waits, so this adds none.
    await queueDeliveries(tx, jobs, placed);
    turn = beginTurn(db, jobs, webhookId);
    await waitForBlockedStatements(url, 1);
  });
  expect(await turn).toBeDefined();
  expect(await listDueDeliveries(db, webhookId, 10)).toHaveLength(2);
});

test('what is queued during a turn gets a job of its own', async () => {
  const webhookId = await addWebhook();
  await queue(await placeEvents(1));
  await query(url, 'truncate pgboss.job');
  expect(await beginTurn(db, jobs, webhookId)).toMatchObject({
    failures: 0,
    isPaused: false,
    communityId: 'demo',
  });
  await queue(await placeEvents(1));
  expect(await listJobs()).toHaveLength(1);
  // The end of the turn finds that a job waits.
  await end(webhookId);
  expect(await listJobs()).toHaveLength(1);
});

test('two workers never have the turn at the same time; the second one leaves a job for later', async () => {
  const webhookId = await addWebhook();
  const turns = await Promise.all(Array.from({ length: 5 }, () => beginTurn(db, jobs, webhookId)));
  expect(turns.filter((turn) => turn !== undefined)).toHaveLength(1);
  const later = await listJobs();
  expect(later).toHaveLength(4);
  for (const { wait_seconds } of later) expect(wait_seconds).toBeGreaterThan(3);
  // The worker was killed.
  await letTimePass({ databaseUrl: url }, 61);
  expect(await beginTurn(db, jobs, webhookId)).toBeDefined();
});

test('the end of a turn adds one job for the next attempt, and none if one is earlier', async () => {
  const webhookId = await addWebhook();
  await queue(await placeEvents(2));
  await query(url, 'truncate pgboss.job');
  const fail = async (seconds: number) => {
    await beginTurn(db, jobs, webhookId);
    for (const { delivery_id } of await listDueDeliveries(db, webhookId, 10))
      await recordFailure(delivery_id, seconds);
    await end(webhookId, { hasFailed: true });
  };
  await fail(300);
  const [first, ...others] = await listJobs();
  expect(others).toEqual([]);
  expect(first?.wait_seconds).toBeGreaterThan(295);
  for (let turn = 0; turn < 5; turn += 1) {
    await queue(await placeEvents(1));
    await query(url, 'delete from pgboss.job where start_after <= now()');
    await fail(600);
  }
  expect(await listJobs()).toHaveLength(1);
  await queue(await placeEvents(1));
  await query(url, 'delete from pgboss.job where start_after <= now()');
  await fail(5);
  const waits = (await listJobs()).map(({ wait_seconds }) => Math.round(wait_seconds / 10));
  expect(waits).toEqual([expect.any(Number), 30]);
  expect(waits[0]).toBeLessThanOrEqual(1);
});

test('a paused webhook waits, however much is queued, and is resumed by one job', async () => {
  const webhookId = await addWebhook();
  await queue(await placeEvents(1));
  await beginTurn(db, jobs, webhookId);
  await query(url, 'truncate pgboss.job');
  await end(webhookId, { hasFailed: true, pauseSeconds: 40 });
  expect((await listJobs()).map(({ wait_seconds }) => Math.ceil(wait_seconds / 10))).toEqual([4]);
  await queue(await placeEvents(1));
  await query(url, 'delete from pgboss.job where start_after <= now()');
  expect(await beginTurn(db, jobs, webhookId)).toMatchObject({ isPaused: true, failures: 1 });
  await end(webhookId);
  expect(await listJobs()).toHaveLength(1);
  await letTimePass({ databaseUrl: url }, 41);
  expect(await beginTurn(db, jobs, webhookId)).toMatchObject({ isPaused: false, failures: 1 });
  await end(webhookId, { hasSucceeded: true });
  expect(await beginTurn(db, jobs, webhookId)).toMatchObject({ isPaused: false, failures: 0 });
});

test('a webhook is disabled after three days without a success, with an entry in the audit log', async () => {
  const webhookId = await addWebhook();
  await queue(await placeEvents(1));
  const fail = async (result: Partial<TurnResult> = {}) => {
    await beginTurn(db, jobs, webhookId);
    return await end(webhookId, { hasFailed: true, ...result });
  };
  expect(await fail()).toBe(false);
  await letTimePass({ databaseUrl: url }, 71.9 * 3_600);
  expect(await fail()).toBe(false);
  await letTimePass({ databaseUrl: url }, 0.2 * 3_600);
  expect(await fail({ hasSucceeded: true })).toBe(false);
  expect(await fail()).toBe(false);
  await letTimePass({ databaseUrl: url }, 72.1 * 3_600);
  await query(url, 'truncate pgboss.job');
  expect(await fail()).toBe(true);
  expect(await query(url, 'select is_enabled, disabled_reason from webhooks')).toEqual([
    { is_enabled: false, disabled_reason: 'it fails' },
  ]);
  expect(await listJobs()).toEqual([]);
  expect(
    await query(url, "select actor, resource_id from audit_log where action = 'disableWebhook'"),
  ).toEqual([{ actor: 'service', resource_id: webhookId }]);
  expect(await beginTurn(db, jobs, webhookId)).toBeUndefined();
  expect(await listJobs()).toEqual([]);
});

test('old deliveries and those of deleted webhooks are deleted, in pieces', async () => {
  const [kept, deleted] = [await addWebhook(), await addWebhook()];
  await queue(await placeEvents(5));
  await query(url, 'update webhooks set deleted_at = now(), is_enabled = false where webhook_id = $1', [
    deleted,
  ]);
  expect(await deleteOldDeliveries(db, 2)).toBe(2);
  while ((await deleteOldDeliveries(db, 2)) > 0);
  expect(await countDeliveries(kept)).toBe(5);
  expect(await query(url, 'select webhook_id from webhooks')).toEqual([{ webhook_id: kept }]);
  await query(
    url,
    "update webhook_deliveries set created_at = now() - interval '30 days 1 second' where sequence % 2 = 0",
  );
  while ((await deleteOldDeliveries(db, 2)) > 0);
  expect(await query(url, 'select from webhook_deliveries where sequence % 2 = 0')).toEqual([]);
});

test('100,000 deliveries that wait for one receiver cost the others nothing', {
  tags: ['slow'],
}, async () => {
  const [crowded, quiet] = [await addWebhook(), await addWebhook({ communityId: 'other' })];
  await query(
    url,
    `insert into webhook_deliveries (webhook_id, event_id, event_type)
     select $1, gen_random_uuid(), 'badge.claimed' from generate_series(1, 100000)`,
    [crowded],
  );
  await query(url, 'analyze webhook_deliveries');
  await queue(await placeEvents(1));
  await queue(await placeEvents(1, { communityId: 'other' }));
  expect(await listJobs()).toHaveLength(2);
  const plan = await query<{ 'QUERY PLAN': string }>(
    url,
    `explain select * from webhook_deliveries d where d.webhook_id = '${crowded}' and d.status = 'pending'
     and d.next_attempt_at <= now() order by d.next_attempt_at, d.sequence limit 20`,
  );
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('webhook_deliveries_pending');
  for (const webhookId of [crowded, quiet]) {
    const startMs = performance.now();
    await beginTurn(db, jobs, webhookId);
    const [due] = await listDueDeliveries(db, webhookId, 20);
    await recordFailure(due?.delivery_id ?? '', 5);
    await end(webhookId, { hasFailed: true });
    expect(performance.now() - startMs).toBeLessThan(1_000);
  }
});

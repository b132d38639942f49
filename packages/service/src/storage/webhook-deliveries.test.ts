import { randomUUID } from 'node:crypto';
import { waitForBlockedStatements } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { OPERATOR, openDemoDatabase } from '../testing/demo-database.ts';
import { letTimePass } from '../testing/webhook-receiver.ts';
import { insertCommunity } from './communities.ts';
import type { Database } from './database.ts';
import {
  deleteOldDeliveries,
  endTurn,
  listDueDeliveries,
  queueDeliveries,
  recordAttempt,
  resumeWebhook,
  type TurnResult,
  takeDeliveryTurns,
} from './webhook-deliveries.ts';
import { insertWebhook } from './webhooks.ts';

let url: string;
let db: Database;
let lastPosition = 0;

beforeAll(async () => {
  ({ url, db } = await openDemoDatabase());
  await insertCommunity(db, OPERATOR, { community_id: 'other', display_id: '', name: '', description: '' });
});
afterAll(async () => await db.destroy());
beforeEach(async () => {
  await query(url, 'truncate webhooks, webhook_deliveries, events cascade');
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
  await db.transaction().execute((tx) => queueDeliveries(tx, placed));
const countDeliveries = async (webhookId: string) =>
  (await query(url, 'select from webhook_deliveries where webhook_id = $1', [webhookId])).length;
/** In how many seconds the next turn of each webhook is due, those that wait for nothing left out. */
const listDue = async () =>
  await query<{ webhook_id: string; wait_seconds: number }>(
    url,
    `select webhook_id, greatest(0, extract(epoch from next_attempt_at - now()))::float as wait_seconds
     from webhooks where next_attempt_at is not null order by next_attempt_at`,
  );
const take = (limit = 10, perCommunity = 4) => takeDeliveryTurns(db, { limit, perCommunity });
/** Takes a turn of the webhook, whenever it is due. */
async function takeNow(webhookId: string) {
  await db.transaction().execute((tx) => resumeWebhook(tx, webhookId));
  return (await take()).find((turn) => turn.webhookId === webhookId);
}
const OUTCOME: TurnResult = {
  hasSucceeded: false,
  hasFailed: false,
  pauseSeconds: null,
  disabledReason: null,
  failingReason: 'it fails',
  maxFailingHours: 72,
};
const end = (webhookId: string, result: Partial<TurnResult> = {}) =>
  db.transaction().execute((tx) => endTurn(tx, { webhookId, result: { ...OUTCOME, ...result } }));
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
  expect((await listDue()).map(({ webhook_id }) => webhook_id).sort()).toEqual([all, claims].sort());
});

test('nothing is queued by a transaction that does not commit', async () => {
  const webhookId = await addWebhook();
  const placed = await placeEvents(1);
  const rolledBack = db.transaction().execute(async (tx) => {
    await queueDeliveries(tx, placed);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await countDeliveries(webhookId)).toBe(0);
  expect(await listDue()).toEqual([]);
});

test('a turn sees what was queued before it, and its end what is queued meanwhile', async () => {
  const webhookId = await addWebhook();
  await queue(await placeEvents(1));
  const [turn] = await take();
  expect(turn).toMatchObject({ webhookId, failures: 0, communityId: 'demo' });
  for (const { delivery_id } of await listDueDeliveries(db, webhookId, 10))
    await recordAttempt(db, {
      deliveryId: delivery_id,
      attempt,
      status: 'delivered',
      retryAfterSeconds: null,
    });
  const placed = await placeEvents(1);
  let ended: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (tx) => {
    await queueDeliveries(tx, placed);
    // The end waits for this transaction, and sees its delivery.
    ended = end(webhookId, { hasSucceeded: true });
    await waitForBlockedStatements(url, 1);
  });
  await ended;
  expect(await listDue()).toEqual([{ webhook_id: webhookId, wait_seconds: 0 }]);
  expect(await take()).toHaveLength(1);
});

test('a webhook for which nothing waits is taken by nobody', async () => {
  const webhookId = await addWebhook();
  expect(await take()).toEqual([]);
  await queue(await placeEvents(1));
  await take();
  await query(url, "update webhook_deliveries set status = 'delivered', next_attempt_at = null");
  await end(webhookId, { hasSucceeded: true });
  expect(await listDue()).toEqual([]);
});

test('one worker at a time has the turn of a webhook; that of a killed one ends by itself', async () => {
  await addWebhook();
  await queue(await placeEvents(1));
  const turns = await Promise.all(Array.from({ length: 5 }, () => take()));
  expect(turns.flat()).toHaveLength(1);
  expect(await take()).toEqual([]);
  await letTimePass({ databaseUrl: url }, 41);
  expect(await take()).toHaveLength(1);
});

test('a community has its share of the turns, and does not delay another one', async () => {
  for (let webhook = 0; webhook < 6; webhook += 1) await addWebhook();
  await queue(await placeEvents(1));
  const other = await addWebhook({ communityId: 'other' });
  await queue(await placeEvents(1, { communityId: 'other' }));
  const taken = await take();
  expect(taken.map(({ communityId }) => communityId).sort()).toEqual([
    'demo',
    'demo',
    'demo',
    'demo',
    'other',
  ]);
  expect(taken.map(({ webhookId }) => webhookId)).toContain(other);
  expect(await take()).toEqual([]);
  await end(taken.find(({ communityId }) => communityId === 'demo')?.webhookId ?? '');
  expect(await take()).toHaveLength(1);
});

test('the next turn is due at the next attempt of a delivery', async () => {
  const webhookId = await addWebhook();
  await queue(await placeEvents(2));
  const fail = async (...seconds: number[]) => {
    await takeNow(webhookId);
    const due = await listDueDeliveries(db, webhookId, 10);
    for (const [index, { delivery_id }] of due.entries())
      await recordFailure(delivery_id, seconds[index] ?? 0);
    await end(webhookId, { hasFailed: true });
    return (await listDue()).map(({ wait_seconds }) => Math.ceil(wait_seconds / 10));
  };
  expect(await fail(300, 600)).toEqual([30]);
  await queue(await placeEvents(1));
  expect(await listDue()).toEqual([{ webhook_id: webhookId, wait_seconds: 0 }]);
  expect(await fail(20)).toEqual([2]);
});

test('a paused webhook waits, however much is queued, unless somebody resumes it', async () => {
  const webhookId = await addWebhook();
  await queue(await placeEvents(1));
  await take();
  await end(webhookId, { hasFailed: true, pauseSeconds: 40 });
  await queue(await placeEvents(1));
  expect((await listDue()).map(({ wait_seconds }) => Math.ceil(wait_seconds / 10))).toEqual([4]);
  expect(await take()).toEqual([]);
  await letTimePass({ databaseUrl: url }, 41);
  expect(await take()).toMatchObject([{ failures: 1 }]);
  await end(webhookId, { hasFailed: true, pauseSeconds: 80 });
  expect(await takeNow(webhookId)).toMatchObject({ failures: 2 });
  await end(webhookId, { hasSucceeded: true });
  expect(await take()).toMatchObject([{ failures: 0 }]);
});

test('a webhook is disabled after three days without a success, with an entry in the audit log', async () => {
  const webhookId = await addWebhook();
  await queue(await placeEvents(1));
  const fail = async (result: Partial<TurnResult> = {}) => {
    await takeNow(webhookId);
    return await end(webhookId, { hasFailed: true, ...result });
  };
  expect(await fail()).toBe(false);
  await letTimePass({ databaseUrl: url }, 71.9 * 3_600);
  expect(await fail()).toBe(false);
  await letTimePass({ databaseUrl: url }, 0.2 * 3_600);
  expect(await fail({ hasSucceeded: true })).toBe(false);
  expect(await fail()).toBe(false);
  await letTimePass({ databaseUrl: url }, 72.1 * 3_600);
  expect(await fail()).toBe(true);
  expect(await query(url, 'select is_enabled, disabled_reason from webhooks')).toEqual([
    { is_enabled: false, disabled_reason: 'it fails' },
  ]);
  expect(
    await query(url, "select actor, resource_id from audit_log where action = 'disableWebhook'"),
  ).toEqual([{ actor: 'service', resource_id: webhookId }]);
  expect(await takeNow(webhookId)).toBeUndefined();
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
  expect(await listDue()).toHaveLength(2);
  const plan = await query<{ 'QUERY PLAN': string }>(
    url,
    `explain select * from webhook_deliveries d where d.webhook_id = '${crowded}' and d.status = 'pending'
     and d.next_attempt_at <= now() order by d.next_attempt_at, d.sequence limit 20`,
  );
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toContain('webhook_deliveries_pending');
  for (const webhookId of [crowded, quiet]) {
    const startMs = performance.now();
    await takeNow(webhookId);
    const [due] = await listDueDeliveries(db, webhookId, 20);
    await recordFailure(due?.delivery_id ?? '', 5);
    await end(webhookId, { hasFailed: true });
    expect(performance.now() - startMs).toBeLessThan(1_000);
  }
});

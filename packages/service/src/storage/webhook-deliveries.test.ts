import { waitForBlockedStatements } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { expect, test } from 'vitest';
import { attempt, webhookDeliveriesFixture } from '../testing/webhook-deliveries-fixture.ts';
import { letTimePass } from '../testing/webhook-receiver.ts';
import {
  deleteOldDeliveries,
  listDueDeliveries,
  queueDeliveries,
  recordAttempt,
  type TurnResult,
} from './webhook-deliveries.ts';

const fixture = webhookDeliveriesFixture();
const { addWebhook, placeEvents, queue, listDue, take, takeNow, end, recordFailure } = fixture;

const countDeliveries = async (webhookId: string) =>
  (await query(fixture.url, 'select from webhook_deliveries where webhook_id = $1', [webhookId])).length;

test('each event is queued for each webhook of its community that has chosen its type', async () => {
  const all = await addWebhook();
  const claims = await addWebhook({ events: ['badge.claimed'] });
  const burns = await addWebhook({ events: ['badge.burnt'] });
  const [disabled, deleted, other] = [
    await addWebhook(),
    await addWebhook(),
    await addWebhook({ communityId: 'other' }),
  ];
  await query(fixture.url, 'update webhooks set is_enabled = false where webhook_id = $1', [disabled]);
  await query(fixture.url, 'update webhooks set deleted_at = now() where webhook_id = $1', [deleted]);
  await placeEvents(3);
  await queue(await placeEvents(2));
  const counts = await Promise.all([all, claims, burns, disabled, deleted, other].map(countDeliveries));
  expect(counts).toEqual([2, 2, 0, 0, 0, 0]);
  const [due] = await listDueDeliveries(fixture.db, all, 10);
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
  const rolledBack = fixture.db.transaction().execute(async (tx) => {
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
  const [taken] = await take();
  expect(taken).toMatchObject({ webhookId, failures: 0, communityId: 'demo' });
  for (const { delivery_id } of await listDueDeliveries(fixture.db, webhookId, 10))
    await recordAttempt(fixture.db, {
      deliveryId: delivery_id,
      attempt,
      status: 'delivered',
      retryAfterSeconds: null,
    });
  const placed = await placeEvents(1);
  let ended: Promise<unknown> = Promise.resolve();
  await fixture.db.transaction().execute(async (tx) => {
    await queueDeliveries(tx, placed);
    // The end waits for this transaction, and sees its delivery.
    ended = end(webhookId, { hasSucceeded: true });
    await waitForBlockedStatements(fixture.url, 1);
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
  await query(fixture.url, "update webhook_deliveries set status = 'delivered', next_attempt_at = null");
  await end(webhookId, { hasSucceeded: true });
  expect(await listDue()).toEqual([]);
});

test('one worker at a time has the turn of a webhook; that of a killed one ends by itself', async () => {
  await addWebhook();
  await queue(await placeEvents(1));
  const taken = await Promise.all(Array.from({ length: 5 }, () => take()));
  expect(taken.flat()).toHaveLength(1);
  expect(await take()).toEqual([]);
  await letTimePass({ databaseUrl: fixture.url }, 41);
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
    const due = await listDueDeliveries(fixture.db, webhookId, 10);
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
  await letTimePass({ databaseUrl: fixture.url }, 41);
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
  await letTimePass({ databaseUrl: fixture.url }, 71.9 * 3_600);
  expect(await fail()).toBe(false);
  await letTimePass({ databaseUrl: fixture.url }, 0.2 * 3_600);
  expect(await fail({ hasSucceeded: true })).toBe(false);
  expect(await fail()).toBe(false);
  await letTimePass({ databaseUrl: fixture.url }, 72.1 * 3_600);
  expect(await fail()).toBe(true);
  expect(await query(fixture.url, 'select is_enabled, disabled_reason from webhooks')).toEqual([
    { is_enabled: false, disabled_reason: 'it fails' },
  ]);
  expect(
    await query(fixture.url, "select actor, resource_id from audit_log where action = 'disableWebhook'"),
  ).toEqual([{ actor: 'service', resource_id: webhookId }]);
  expect(await takeNow(webhookId)).toBeUndefined();
});

test('old deliveries and those of deleted webhooks are deleted, in pieces', async () => {
  const [kept, deleted] = [await addWebhook(), await addWebhook()];
  await queue(await placeEvents(5));
  await query(
    fixture.url,
    'update webhooks set deleted_at = now(), is_enabled = false where webhook_id = $1',
    [deleted],
  );
  expect(await deleteOldDeliveries(fixture.db, 2)).toBe(2);
  while ((await deleteOldDeliveries(fixture.db, 2)) > 0);
  expect(await countDeliveries(kept)).toBe(5);
  expect(await query(fixture.url, 'select webhook_id from webhooks')).toEqual([{ webhook_id: kept }]);
  await query(
    fixture.url,
    "update webhook_deliveries set created_at = now() - interval '30 days 1 second' where sequence % 2 = 0",
  );
  while ((await deleteOldDeliveries(fixture.db, 2)) > 0);
  expect(await query(fixture.url, 'select from webhook_deliveries where sequence % 2 = 0')).toEqual([]);
});

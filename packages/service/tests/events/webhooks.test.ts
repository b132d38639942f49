import { randomUUID } from 'node:crypto';
import type { BadgeEvent, Problem, Webhook as WebhookItem } from '@badge/protocol';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { newWallet, signedToken } from '@badge/test-support/signing';
import { query } from '@badge/test-support/sql';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestService, type TestService } from '../../src/testing/services.ts';
import {
  createWebhook,
  listDeliveries,
  sendTestEvent,
  startReceiver,
  waitForDelivery,
} from '../../src/testing/webhook-receiver.ts';
import { startOwnService, WEBHOOKS } from '../../src/testing/webhooks.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => await service.stop());

const send = (method: string, path: string, json?: unknown) =>
  service.call(path, {
    method,
    key: service.adminKey,
    ...(json === undefined
      ? {}
      : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(json) }),
  });
const read = async (webhookId: string): Promise<WebhookItem | undefined> => {
  const { data } = (await (await send('GET', WEBHOOKS)).json()) as { data: WebhookItem[] };
  return data.find((webhook) => webhook.webhookId === webhookId);
};
const problemOf = async (response: Response) => ((await response.json()) as Problem).name;

test('a test event arrives, signed as Standard Webhooks says, and is in the log', async () => {
  const receiver = await startReceiver((response) => response.writeHead(204).end());
  const { secret, ...webhook } = await createWebhook(service, { url: receiver.url, name: 'ours' });
  expect(webhook).toEqual({
    webhookId: expect.any(String),
    url: receiver.url,
    name: 'ours',
    events: null,
    isEnabled: true,
    disabledReason: null,
    failingSinceTimestamp: null,
    formerSecretExpiresAtTimestamp: null,
    createdBy: null,
    createdAtTimestamp: expect.any(Number),
  });
  expect(await read(webhook.webhookId)).toEqual(webhook);
  const deliveryId = await sendTestEvent(service, webhook.webhookId);
  const [request] = await receiver.waitFor(1);
  const verified = new Webhook(secret).verify(
    request?.body ?? '',
    request?.headers as Record<string, string>,
  );
  expect(verified).toEqual({
    eventId: request?.headers['webhook-id'],
    type: 'webhook.test',
    createdAtTimestamp: expect.any(Number),
    communityId: 'demo',
    data: { webhookId: webhook.webhookId },
  });
  const delivery = await waitForDelivery(service, webhook.webhookId, { status: 'delivered', attempts: 1 });
  expect(delivery).toEqual({
    deliveryId,
    eventId: request?.headers['webhook-id'],
    eventType: 'webhook.test',
    status: 'delivered',
    createdAtTimestamp: expect.any(Number),
    nextAttemptAtTimestamp: null,
    attempts: [
      {
        attemptedAtTimestamp: expect.any(Number),
        durationMs: expect.any(Number),
        responseStatus: 204,
        error: null,
      },
    ],
  });
});

test('410 disables at once; after it is enabled again, what was still to be sent is sent', async () => {
  const receiver = await startReceiver((response) => response.writeHead(410).end());
  const { webhookId } = await createWebhook(service, { url: receiver.url });
  const goneId = await sendTestEvent(service, webhookId);
  await waitForDelivery(service, webhookId, { status: 'failed', attempts: 1 });
  await vi.waitFor(async () => {
    expect(await read(webhookId)).toMatchObject({
      isEnabled: false,
      disabledReason: 'The receiver responded with the status 410 (Gone).',
    });
  }, WAIT_OPTIONS);
  for (const path of ['test', `deliveries/${goneId}/redeliver`]) {
    expect(await problemOf(await send('POST', `${WEBHOOKS}/${webhookId}/${path}`))).toBe('WebhookDisabled');
  }
  await query(
    service.databaseUrl,
    "update webhook_deliveries set status = 'pending', next_attempt_at = now() where delivery_id = $1",
    [goneId],
  );
  receiver.respondWith((response) => response.end());
  const patched = await send('PATCH', `${WEBHOOKS}/${webhookId}`, { isEnabled: true });
  expect(await patched.json()).toMatchObject({
    isEnabled: true,
    disabledReason: null,
    failingSinceTimestamp: null,
  });
  await waitForDelivery(service, webhookId, { status: 'delivered', attempts: 2 });
});

test('a delivery can be sent once more, with the same id', async () => {
  const receiver = await startReceiver();
  const { webhookId } = await createWebhook(service, { url: receiver.url });
  const firstId = await sendTestEvent(service, webhookId);
  await receiver.waitFor(1);
  const response = await send('POST', `${WEBHOOKS}/${webhookId}/deliveries/${firstId}/redeliver`);
  expect(response.status).toBe(201);
  const [first, second] = await receiver.waitFor(2);
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  const [newest, older] = await listDeliveries(service, webhookId);
  expect([newest?.eventId, older?.deliveryId]).toEqual([older?.eventId, firstId]);
  for (const unknown of [randomUUID(), 'nothing']) {
    const refused = await send('POST', `${WEBHOOKS}/${webhookId}/deliveries/${unknown}/redeliver`);
    expect(await problemOf(refused)).toBe('WebhookDeliveryNotFound');
  }
});

test('a repeated request for a test event sends one', async () => {
  const receiver = await startReceiver();
  const { webhookId } = await createWebhook(service, { url: receiver.url });
  const request = () =>
    service.call(`${WEBHOOKS}/${webhookId}/test`, {
      method: 'POST',
      key: service.adminKey,
      headers: { 'Idempotency-Key': webhookId },
    });
  const [first, second] = [await request(), await request()];
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(await second.json()).toEqual(await first.json());
  expect(await listDeliveries(service, webhookId)).toHaveLength(1);
});

test('at most four requests are sent to a webhook at a time, and each delivery once', async () => {
  const receiver = await startReceiver((response) => void setTimeout(() => response.end(), 20));
  const { webhookId } = await createWebhook(service, { url: receiver.url });
  await query(
    service.databaseUrl,
    `insert into webhook_deliveries (webhook_id, event_id, event_type)
     select $1, gen_random_uuid(), 'webhook.test' from generate_series(1, 99)`,
    [webhookId],
  );
  await sendTestEvent(service, webhookId);
  const received = await receiver.waitFor(100);
  await vi.waitFor(async () => {
    expect(await listDeliveries(service, webhookId, { search: '?status=delivered&limit=1000' })).toHaveLength(
      100,
    );
  }, WAIT_OPTIONS);
  expect(new Set(received.map(({ event }) => event.eventId)).size).toBe(100);
  expect(received).toHaveLength(100);
  expect(receiver.maxOpen()).toBeLessThanOrEqual(4);
  expect(await listDeliveries(service, webhookId, { search: '?status=pending' })).toEqual([]);
  const page = await listDeliveries(service, webhookId, { search: '?limit=2&offset=1' });
  expect(page.map(({ deliveryId }) => deliveryId)).toEqual(
    (await listDeliveries(service, webhookId)).slice(1, 3).map(({ deliveryId }) => deliveryId),
  );
});

test('a receiver that hangs delays no other community, and gets one request at a time', async () => {
  const own = await startOwnService();
  const other = { uniqId: 'other', displayId: 'other', name: 'Other' };
  expect((await own.call('/v1/communities', { key: own.adminKey, json: other })).status).toBe(201);
  const hanging = await startReceiver(() => undefined);
  const quick = await startReceiver();
  // More webhooks than a community may have in work, each with many deliveries.
  const webhookIds = await Promise.all(
    Array.from({ length: 6 }, async () => (await createWebhook(own, { url: hanging.url })).webhookId),
  );
  for (const webhookId of webhookIds) {
    await query(
      own.databaseUrl,
      `insert into webhook_deliveries (webhook_id, event_id, event_type)
       select $1, gen_random_uuid(), 'webhook.test' from generate_series(1, 5000)`,
      [webhookId],
    );
    await sendTestEvent(own, webhookId);
  }
  await hanging.waitFor(16);
  expect(hanging.maxOpen()).toBe(16);
  const { webhookId } = await createWebhook(own, { url: quick.url, communityId: 'other' });
  const startMs = performance.now();
  await sendTestEvent(own, webhookId, 'other');
  await quick.waitFor(1);
  expect(performance.now() - startMs).toBeLessThan(5_000);
});

test('what happens in the community arrives as it is in the feed, to those who have chosen it', async () => {
  const [all, claims] = [await startReceiver(), await startReceiver()];
  await createWebhook(service, { url: all.url });
  await createWebhook(service, { url: claims.url, events: ['badge.claimed', 'badge.burnt'] });
  const key = service.apiKey;
  const wait = async (response: Response) => {
    const operation = await service.call(`${response.headers.get('location')}?wait=30`);
    return ((await operation.json()) as { resourceId: number }).resourceId;
  };
  const tokenId = await wait(await service.call('/v1/tokens', { key, json: await signedToken() }));
  const address = newWallet().address;
  await wait(await service.call(`/v1/tokens/${tokenId}/airdrop`, { key, json: { address } }));
  await all.waitFor(2);
  await claims.waitFor(1);
  const feed = await service.call('/v1/communities/demo/events?limit=1000', { key });
  const { data } = (await feed.json()) as { data: BadgeEvent[] };
  const mine = data.filter((event) => 'tokenId' in event.data && event.data.tokenId === tokenId);
  expect(mine.map(({ type }) => type)).toEqual(['token.created', 'badge.claimed']);
  const byTime = (events: BadgeEvent[]) => events.toSorted((a, b) => a.eventId.localeCompare(b.eventId));
  expect(byTime(all.received.map(({ event }) => event))).toEqual(byTime(mine));
  expect(claims.received.map(({ event }) => event)).toEqual([mine[1]]);
});

test('a webhook that is changed, disabled or deleted is treated so from then on', async () => {
  const [former, current] = [await startReceiver(), await startReceiver()];
  const { webhookId } = await createWebhook(service, { url: former.url, events: ['badge.claimed'] });
  const path = `${WEBHOOKS}/${webhookId}`;
  const patched = await send('PATCH', path, { url: current.url, name: 'new', events: null });
  expect(await patched.json()).toMatchObject({ url: current.url, name: 'new', events: null });
  expect(await (await send('PATCH', path, {})).json()).toMatchObject({ url: current.url, name: 'new' });
  await sendTestEvent(service, webhookId);
  await current.waitFor(1);
  expect(former.received).toEqual([]);
  const disabled = await send('PATCH', path, { isEnabled: false });
  expect(await disabled.json()).toMatchObject({ isEnabled: false, disabledReason: null });
  expect((await send('DELETE', path)).status).toBe(204);
  for (const [method, rest] of [
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/test'],
    ['POST', '/rotateSecret'],
    ['GET', '/deliveries'],
  ] as const) {
    const response = await send(method, path + rest, method === 'PATCH' ? { isEnabled: true } : undefined);
    expect(await problemOf(response), method + rest).toBe('WebhookNotFound');
  }
  const [row] = await query(
    service.databaseUrl,
    'select encrypted_secret from webhooks where webhook_id = $1',
    [webhookId],
  );
  expect(row?.encrypted_secret).toEqual(Buffer.alloc(0));
});

test('a webhook of another community is not found', async () => {
  const { webhookId } = await createWebhook(service, { url: 'https://example.org/' });
  const other = { uniqId: 'stranger', displayId: 'stranger', name: 'Stranger' };
  await service.call('/v1/communities', { key: service.adminKey, json: other });
  const response = await send('PATCH', `/v1/communities/stranger/webhooks/${webhookId}`, { name: 'mine' });
  expect(await problemOf(response)).toBe('WebhookNotFound');
});

test('the secret is in no response but two, and encrypted in the database', async () => {
  const { webhookId, secret } = await createWebhook(service, { url: 'https://example.org/' });
  const text = await (await send('GET', WEBHOOKS)).text();
  expect(text).toContain(webhookId);
  expect(text).not.toContain('whsec_');
  const [row] = await query(
    service.databaseUrl,
    'select encrypted_secret from webhooks where webhook_id = $1',
    [webhookId],
  );
  const encrypted = Buffer.from(row?.encrypted_secret as Uint8Array);
  expect(encrypted.includes(Buffer.from(secret.slice(6), 'base64'))).toBe(false);
});

import type { AuditEntry, Webhook as WebhookItem, WebhookWithSecret } from '@badge/protocol';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startOtherProcess, startTestService } from '../../src/testing/services.ts';
import {
  createWebhook,
  letTimePass,
  listDeliveries,
  sendTestEvent,
  startReceiver,
  waitForDelivery,
} from '../../src/testing/webhook-receiver.ts';
import { startOwnService, WEBHOOKS } from '../../src/testing/webhooks.ts';

test('after a rotation, requests have both signatures for a day', async () => {
  const own = await startOwnService();
  const receiver = await startReceiver();
  const { webhookId, secret } = await createWebhook(own, { url: receiver.url });
  const rotate = async () => {
    const response = await own.call(`${WEBHOOKS}/${webhookId}/rotateSecret`, {
      method: 'POST',
      key: own.adminKey,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    return (await response.json()) as WebhookWithSecret;
  };
  const rotated = await rotate();
  expect(rotated.secret).not.toBe(secret);
  const hours = ((rotated.formerSecretExpiresAtTimestamp ?? 0) - Date.now()) / 3_600_000;
  expect(hours).toBeCloseTo(24, 1);
  const verifiers = async (secrets: string[]) => {
    const count = receiver.received.length;
    await sendTestEvent(own, webhookId);
    const request = (await receiver.waitFor(count + 1)).at(-1);
    return secrets.map((one) => {
      try {
        new Webhook(one).verify(request?.body ?? '', request?.headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    });
  };
  expect(await verifiers([secret, rotated.secret])).toEqual([true, true]);
  await letTimePass(own, 86_401);
  expect(await verifiers([secret, rotated.secret])).toEqual([false, true]);
  const again = await rotate();
  expect(await verifiers([secret, rotated.secret, again.secret])).toEqual([false, true, true]);
});

test('a failed request is retried for three days; then the delivery fails, and the webhook is disabled', async () => {
  const own = await startOwnService();
  const receiver = await startReceiver((response) => response.writeHead(500).end('out of order'));
  const { webhookId } = await createWebhook(own, { url: receiver.url });
  await sendTestEvent(own, webhookId);
  let hours = 0;
  for (let attempt = 1; attempt <= 9; attempt += 1) {
    const pending = await waitForDelivery(own, webhookId, { status: 'pending', attempts: attempt });
    expect(pending.attempts.at(-1)).toMatchObject({ responseStatus: 500, error: 'out of order' });
    const waitMs = (pending.nextAttemptAtTimestamp ?? 0) - Date.now();
    expect(waitMs).toBeGreaterThan(0);
    hours += waitMs / 3_600_000;
    await letTimePass(own, waitMs / 1_000 + 1);
  }
  expect(hours).toBeGreaterThan(72);
  const failed = await waitForDelivery(own, webhookId, { status: 'failed', attempts: 10 });
  expect(failed.nextAttemptAtTimestamp).toBeNull();
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
    new Set([failed.eventId]),
  );
  await vi.waitFor(async () => {
    const list = await own.call(WEBHOOKS, { key: own.adminKey });
    const { data } = (await list.json()) as { data: WebhookItem[] };
    expect(data[0]).toMatchObject({
      isEnabled: false,
      disabledReason: 'No request has succeeded for three days. The last one: out of order',
    });
  }, WAIT_OPTIONS);
  const log = await own.call('/v1/auditLog?action=disableWebhook', { key: own.adminKey });
  expect(((await log.json()) as { data: AuditEntry[] }).data).toMatchObject([
    {
      actor: 'service',
      action: 'disableWebhook',
      resourceType: 'webhook',
      resourceId: webhookId,
      communityId: 'demo',
    },
  ]);
});

test('an event that fails alone does not disable the webhook', async () => {
  const own = await startOwnService();
  const receiver = await startReceiver();
  const { webhookId } = await createWebhook(own, { url: receiver.url });
  const poisonId = await sendTestEvent(own, webhookId);
  await waitForDelivery(own, webhookId, { status: 'delivered', attempts: 1 });
  const poison = receiver.received[0]?.headers['webhook-id'];
  receiver.respondWith((response, { headers }) => {
    response.writeHead(headers['webhook-id'] === poison ? 500 : 200).end();
  });
  // In one statement, so that one turn sends both.
  await query(
    own.databaseUrl,
    `with poison as (
       update webhook_deliveries set status = 'pending', next_attempt_at = now(),
         attempts = (select jsonb_agg('{}'::jsonb) from generate_series(1, 9))
       where delivery_id = $1
     ), other as (
       insert into webhook_deliveries (webhook_id, event_id, event_type) values ($2, gen_random_uuid(), 'webhook.test')
     )
     update webhooks set failing_since = now() - interval '80 hours'`,
    [poisonId, webhookId],
  );
  await sendTestEvent(own, webhookId);
  await vi.waitFor(async () => {
    const statuses = (await listDeliveries(own, webhookId)).map(({ status }) => status);
    expect(statuses).toEqual(['delivered', 'delivered', 'failed']);
  }, WAIT_OPTIONS);
  await vi.waitFor(async () => {
    const { data } = (await (await own.call(WEBHOOKS, { key: own.adminKey })).json()) as {
      data: WebhookItem[];
    };
    expect(data[0]).toMatchObject({ isEnabled: true, disabledReason: null, failingSinceTimestamp: null });
  }, WAIT_OPTIONS);
});

test('what another process has added is sent after a restart, and a process without the key sends nothing', async () => {
  const own = await startTestService();
  const receiver = await startReceiver();
  const { webhookId } = await createWebhook(own, { url: receiver.url });
  const { databaseUrl, adminKey, apiKey } = own;
  const api = await startOtherProcess(own, { BADGE_ROLE: 'api' });
  onTestFinished(() => api.stop());
  await own.stop();
  await sendTestEvent(api, webhookId);
  // The key of the data directory of `own` is gone, so this process has another one.
  const stranger = await startOtherProcess({ ...own, databaseUrl, adminKey, apiKey });
  onTestFinished(() => stranger.stop());
  await vi.waitFor(async () => {
    const [row] = await query(
      databaseUrl,
      'select failures > 0 and next_attempt_at > now() as is_paused from webhooks',
    );
    expect(row?.is_paused).toBe(true);
  }, WAIT_OPTIONS);
  expect(receiver.received).toEqual([]);
  expect(await listDeliveries(api, webhookId)).toMatchObject([{ status: 'pending', attempts: [] }]);
});

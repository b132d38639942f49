import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { WebhookDelivery, WebhookWithSecret } from '@badge/protocol';
import { createDatabase } from '@badge/test-support/databases';
import { makeDataDir, startTestBadge, WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { expect, test, vi } from 'vitest';
import { makeKey } from '../../src/domain/api-keys/rules.ts';
import { startReceiver } from '../../src/testing/webhook-receiver.ts';

test('after kill -9 in the middle of requests, each event arrives within a minute, with the same id', async () => {
  const keyFile = `${await makeDataDir()}-key`;
  await writeFile(keyFile, randomBytes(32), { mode: 0o600 });
  const adminKey = makeKey('admin');
  const start = async (role: string) =>
    await startTestBadge({
      DATABASE_URL: databaseUrl,
      BADGE_DATA_DIR: await makeDataDir(),
      BADGE_ENCRYPTION_KEY_FILE: keyFile,
      BADGE_ADMIN_KEY: adminKey,
      BADGE_DEMO_API_KEY: demoKey,
      BADGE_ROLE: role,
    });
  const databaseUrl = await createDatabase();
  const demoKey = makeKey('sandbox');
  const api = await start('api');
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${api.url}/v1/communities/demo/webhooks${path}`, {
      method,
      headers: { Authorization: `Bearer ${adminKey}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.ok).toBe(true);
    return await response.json();
  };
  const receiver = await startReceiver(() => undefined);
  const { webhookId } = (await call('POST', '', { name: 'test', url: receiver.url })) as WebhookWithSecret;
  for (let event = 0; event < 8; event += 1) await call('POST', `/${webhookId}/test`, {});
  const killed = await start('worker');
  await receiver.waitFor(4);
  const killedMs = performance.now();
  await killed.end('SIGKILL');
  const interrupted = new Set(receiver.received.map(({ event }) => event.eventId));
  receiver.received.length = 0;
  receiver.respondWith((response) => response.end());
  const worker = await start('worker');
  await receiver.waitFor(8);
  expect(performance.now() - killedMs).toBeLessThan(60_000);
  await vi.waitFor(async () => {
    const { data } = (await call('GET', `/${webhookId}/deliveries?status=delivered`)) as {
      data: WebhookDelivery[];
    };
    expect(data).toHaveLength(8);
  }, WAIT_OPTIONS);
  expect(receiver.received).toHaveLength(8);
  const again = new Set(receiver.received.map(({ event }) => event.eventId));
  expect(again.size).toBe(8);
  for (const eventId of interrupted) expect(again).toContain(eventId);
  expect([await worker.end('SIGTERM'), await api.end('SIGTERM')]).toEqual([0, 0]);
});

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { BadgeEvent, WebhookDelivery, WebhookWithSecret } from '@badge/protocol';
import { WAIT_OPTIONS } from '@badge/test-support/fixtures';
import { query } from '@badge/test-support/sql';
import { expect, onTestFinished, vi } from 'vitest';
import type { TestService } from './services.ts';

export interface ReceivedRequest {
  headers: IncomingHttpHeaders;
  body: string;
  event: BadgeEvent;
}

export interface WebhookReceiver {
  url: string;
  received: ReceivedRequest[];
  /** The most requests that were open at a time. */
  maxOpen: () => number;
  /** Replaces how it responds. */
  respondWith(respond: Respond): void;
  /** Waits until it has received this many requests, and returns them. */
  waitFor(count: number): Promise<ReceivedRequest[]>;
}

type Respond = (response: ServerResponse, request: ReceivedRequest) => unknown;

/**
 * Starts an HTTP server that receives the requests of webhooks. It responds with 200, or as `respond` says.
 */
export async function startReceiver(
  respond: Respond = (response) => response.end(),
): Promise<WebhookReceiver> {
  const received: ReceivedRequest[] = [];
  let current = respond;
  let open = 0;
  let maxOpen = 0;
  const server = createServer(async (request, response) => {
    open += 1;
    maxOpen = Math.max(maxOpen, open);
    response.on('close', () => {
      open -= 1;
    });
    const body = await text(request);
    const one = { headers: request.headers, body, event: JSON.parse(body) as BadgeEvent };
    received.push(one);
    await current(response, one);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    received,
    maxOpen: () => maxOpen,
    respondWith: (next) => {
      current = next;
    },
    waitFor: async (count) => {
      await vi.waitFor(() => expect(received.length).toBeGreaterThanOrEqual(count), WAIT_OPTIONS);
      return received;
    },
  };
}

/** Creates a webhook of a community with the operator's key. */
export async function createWebhook(
  service: TestService,
  { communityId = 'demo', ...body }: { url: string; name?: string; events?: string[]; communityId?: string },
): Promise<WebhookWithSecret> {
  const response = await service.call(`/v1/communities/${communityId}/webhooks`, {
    key: service.adminKey,
    json: { name: 'test', ...body },
  });
  expect(response.status).toBe(201);
  return (await response.json()) as WebhookWithSecret;
}

/** Sends a test event, and returns the id of its delivery. */
export async function sendTestEvent(
  service: TestService,
  webhookId: string,
  communityId = 'demo',
): Promise<string> {
  const path = `/v1/communities/${communityId}/webhooks/${webhookId}/test`;
  const response = await service.call(path, { method: 'POST', key: service.adminKey });
  expect(response.status).toBe(201);
  return ((await response.json()) as { deliveryId: string }).deliveryId;
}

/** The deliveries of a webhook, the newest first. */
export async function listDeliveries(
  service: TestService,
  webhookId: string,
  { communityId = 'demo', search = '' } = {},
): Promise<WebhookDelivery[]> {
  const path = `/v1/communities/${communityId}/webhooks/${webhookId}/deliveries${search}`;
  const response = await service.call(path, { key: service.adminKey });
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: WebhookDelivery[] }).data;
}

/**
 * Waits until the newest delivery of a webhook has this status and this many attempts, and the turn with the
 * last attempt has ended. Returns the delivery.
 */
export async function waitForDelivery(
  service: TestService,
  webhookId: string,
  { status, attempts }: { status: WebhookDelivery['status']; attempts: number },
): Promise<WebhookDelivery> {
  return await vi.waitFor(async () => {
    const [delivery] = await listDeliveries(service, webhookId);
    expect(delivery).toMatchObject({ status });
    expect(delivery?.attempts).toHaveLength(attempts);
    const served = 'select from webhooks where webhook_id = $1 and leased_until is not null';
    expect(await query(service.databaseUrl, served, [webhookId])).toEqual([]);
    return delivery as WebhookDelivery;
  }, WAIT_OPTIONS);
}

/** Makes the deliveries, the pauses and the turns of the service older. */
export async function letTimePass({ databaseUrl }: { databaseUrl: string }, seconds: number): Promise<void> {
  const earlier = (...columns: string[]) =>
    columns.map((column) => `${column} = ${column} - $1 * interval '1 second'`).join(', ');
  const age = (table: string, ...columns: string[]) =>
    query(databaseUrl, `update ${table} set ${earlier(...columns)}`, [seconds]);
  await age('webhooks', ...['failing_since', 'leased_until', 'next_attempt_at', 'former_secret_expires_at']);
  await age('webhook_deliveries', 'next_attempt_at', 'created_at');
}

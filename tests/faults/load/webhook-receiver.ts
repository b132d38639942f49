import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { BadgeEvent, WebhookWithSecret } from '@badge/protocol';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import type { Journal } from '../journal.ts';
import type { Random } from '../random.ts';
import type { Client } from './client.ts';
import { COMMUNITY_ID } from './requests.ts';

const POLL_MS = 500;
// How long a request hangs if the service does not end it before.
const HANG_MS = 20_000;

export interface WebhookReceiver {
  /**
   * Responds well from now on, and makes everything that waits for a retry due. Resolves when everything was
   * delivered, or after the timeout. Returns how many deliveries are left.
   */
  finish(timeoutMs: number): Promise<number>;
  stop(): void;
}

interface ReceiverOptions {
  client: Client;
  journal: Journal;
  random: Random;
  adminKey: string;
  databaseUrl: string;
}

/**
 * Starts a receiver that often misbehaves, and creates a webhook that leads to it. Nothing may have happened
 * in the community before. Journals what it receives.
 */
export async function startWebhookReceiver(options: ReceiverOptions): Promise<WebhookReceiver> {
  const { client, journal, random, adminKey, databaseUrl } = options;
  let secret = '';
  let misbehaves = true;

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (request.url !== '/') await journal.violation('I9', `a redirect to ${request.url} was followed`);
    const event = verify(secret, request, body);
    if (event?.type === 'webhook.test') return void response.end();
    await journal.append({
      type: 'received',
      eventId: String(request.headers['webhook-id']),
      isSigned: event !== null && event.eventId === request.headers['webhook-id'],
      bodyHash: createHash('sha256').update(body).digest('hex'),
    });
    if (!misbehaves || random.chance(0.85)) return void response.writeHead(204).end();
    const misbehave = random.pick([redirect, fail, die, lie, hang]) ?? fail;
    misbehave(response);
  }

  const server = createServer((request, response) => {
    // A killed service does not send the rest of its body.
    receive(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const created = await post(`/v1/communities/${COMMUNITY_ID}/webhooks`, {
    url: `http://127.0.0.1:${port}/`,
    name: 'faults',
  });
  if (created?.status !== 201) throw new Error(`the webhook was not created: ${await created?.text()}`);
  const webhook = (await created.json()) as WebhookWithSecret;
  secret = webhook.secret;

  async function post(path: string, body: object): Promise<Response | undefined> {
    return await client.request(path, () => ({
      method: 'POST',
      headers: { Authorization: `Bearer ${adminKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }));
  }

  return {
    async finish(timeoutMs) {
      misbehaves = false;
      const deadlineMs = performance.now() + timeoutMs;
      const database = new pg.Client(databaseUrl);
      // The next query reports a lost connection.
      database.on('error', () => undefined);
      await database.connect();
      try {
        for (;;) {
          await database.query('update webhooks set next_attempt_at = now() where next_attempt_at > now()');
          const { rowCount } = await database.query(
            "update webhook_deliveries set next_attempt_at = least(next_attempt_at, now()) where status = 'pending'",
          );
          if (rowCount === 0 || performance.now() > deadlineMs) return rowCount ?? 0;
          // Adds a job, unless one is waiting.
          await post(`/v1/communities/${COMMUNITY_ID}/webhooks/${webhook.webhookId}/test`, {});
          await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        }
      } finally {
        await database.end();
      }
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns null if the signature is wrong. */
function verify(secret: string, request: IncomingMessage, body: string): BadgeEvent | null {
  try {
    return new Webhook(secret).verify(body, request.headers as Record<string, string>) as BadgeEvent;
  } catch {
    return null;
  }
}

function redirect(response: ServerResponse): void {
  response.writeHead(307, { Location: '/redirected' }).end();
}

function fail(response: ServerResponse): void {
  response.writeHead(500).end('broken');
}

function die(response: ServerResponse): void {
  response.destroy();
}

// Says that it has succeeded, but does not send the body that it announces.
function lie(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Length': 100 }).write('less', () => response.destroy());
}

function hang(response: ServerResponse): void {
  const timer = setTimeout(() => response.destroy(), HANG_MS);
  response.once('close', () => clearTimeout(timer));
}

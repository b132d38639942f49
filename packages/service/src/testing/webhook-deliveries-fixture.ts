import { randomUUID } from 'node:crypto';
import { query } from '@badge/test-support/sql';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { insertCommunity } from '../storage/communities.ts';
import type { Database } from '../storage/database.ts';
import {
  endTurn,
  queueDeliveries,
  recordAttempt,
  resumeWebhook,
  type TurnResult,
  takeDueWebhooks,
} from '../storage/webhook-deliveries.ts';
import { insertWebhook } from '../storage/webhooks.ts';
import { OPERATOR, openDemoDatabase } from './demo-database.ts';

const OUTCOME: TurnResult = {
  hasSucceeded: false,
  hasFailed: false,
  pauseSeconds: null,
  disabledReason: null,
  failingReason: 'it fails',
  maxFailingHours: 72,
};

export const attempt = { attemptedAtTimestamp: 1, durationMs: 1, responseStatus: 500, error: 'broken' };

/** Opens a database before the tests, which has no webhooks before each, and closes it after. */
export function webhookDeliveriesFixture() {
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

  async function addWebhook({
    communityId = 'demo',
    events = null as string[] | null,
  } = {}): Promise<string> {
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
      .execute((tx) =>
        insertWebhook(tx, OPERATOR, { ...webhook, events: events as ['badge.claimed'] | null }),
      );
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

  /** In how many seconds the next turn of each webhook is due, those that wait for nothing left out. */
  const listDue = async () =>
    await query<{ webhook_id: string; wait_seconds: number }>(
      url,
      `select webhook_id, greatest(0, extract(epoch from next_attempt_at - now()))::float as wait_seconds
     from webhooks where next_attempt_at is not null order by next_attempt_at`,
    );
  const take = (limit = 10, perCommunity = 4) => takeDueWebhooks(db, { limit, perCommunity });
  /** Takes the webhook, whenever its turn is due. */
  async function takeNow(webhookId: string) {
    await db.transaction().execute((tx) => resumeWebhook(tx, webhookId));
    return (await take()).find((taken) => taken.webhookId === webhookId);
  }

  const end = (webhookId: string, result: Partial<TurnResult> = {}) =>
    db.transaction().execute((tx) => endTurn(tx, { webhookId, result: { ...OUTCOME, ...result } }));

  const recordFailure = (deliveryId: string, retryAfterSeconds: number) =>
    recordAttempt(db, { deliveryId, attempt, status: 'pending', retryAfterSeconds });

  return {
    get url() {
      return url;
    },
    get db() {
      return db;
    },
    addWebhook,
    placeEvents,
    queue,
    listDue,
    take,
    takeNow,
    end,
    recordFailure,
  };
}

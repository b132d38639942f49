import { randomUUID } from 'node:crypto';
import type { EventType, WebhookAttempt, WebhookDeliveryStatus } from '@badge/protocol';
import { type Selectable, type SqlBool, sql } from 'kysely';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { hiddenFromPlanner, isFarFromStart, readWithTimeout } from './long-lists.ts';
import { prepared } from './prepared-statements.ts';
import { mayStillWrite } from './rights.ts';
import type { Tables } from './schema.ts';
import type { WebhookKey } from './webhooks.ts';

// Deliveries are rows in the order of the feed. A worker takes the row of a webhook, and sends what is due
// for it. So 100,000 deliveries that wait for one receiver are one row of the queue.
// docs/decisions/0054-queues-are-rows.md

/** Nothing is delivered after this time, which docs/api.md states. */
const KEPT_FOR = sql.lit('30 days');
// A worker sends the deliveries of a webhook for a shorter time.
const LEASE = sql.lit('40 seconds');
/** SQL: whether the webhook gets events. */
const IS_ACTIVE = sql<boolean>`(is_enabled and maker_left_at is null and deleted_at is null)`;
// SQL: whether the turn of the webhook is due, and no worker serves it.
const isFree = (webhook: string) =>
  sql.raw(
    `(${webhook}.next_attempt_at <= now() and (${webhook}.leased_until is null or ${webhook}.leased_until <= now()))`,
  );
const IS_FREE = isFree('d');
const IS_STILL_FREE = isFree('w');

/**
 * Adds a delivery of each of the placed events to each webhook that has chosen its type, and returns whether
 * there are any. To be called in the transaction that places the events, so that deliveries exist as soon as
 * the events are in the feed, and not before.
 */
export async function queueDeliveries(
  tx: DatabaseTransaction,
  { firstPosition, lastPosition }: { firstPosition: number; lastPosition: number },
): Promise<boolean> {
  const { rows } = await prepared<{ webhook_ids: string[] | null }>`
    with inserted as (
      insert into webhook_deliveries (webhook_id, event_id, event_position, event_type)
      select w.webhook_id, e.event_id, e.position, e.type
      from events e join webhooks w on w.community_id = e.community_id
      where e.position between ${firstPosition} and ${lastPosition}
        and ${IS_ACTIVE} and (w.events is null or e.type = any(w.events))
      order by e.position, w.sequence
      returning webhook_id
    )
    select array_agg(distinct webhook_id) as webhook_ids from inserted`.execute(tx);
  const webhookIds = rows[0]?.webhook_ids ?? [];
  if (webhookIds.length === 0) return false;
  await wakeWebhooks(tx, webhookIds);
  return true;
}

// Makes a turn of each of the webhooks due now, but not before the end of a pause. The lock makes the end of
// a turn see what this transaction has added, or wait for it.
async function wakeWebhooks(tx: DatabaseTransaction, webhookIds: string[]): Promise<void> {
  await sql`
    select from webhooks where webhook_id = any(${webhookIds}::uuid[]) order by webhook_id for no key update`.execute(
    tx,
  );
  await sql`
    update webhooks set next_attempt_at = now()
    where webhook_id = any(${webhookIds}::uuid[]) and ${IS_ACTIVE}
      and (next_attempt_at is null or (failures = 0 and next_attempt_at > now()))`.execute(tx);
}

/** Makes a turn of a webhook due now, even if it pauses. */
export async function resumeWebhook(tx: DatabaseTransaction, webhookId: string): Promise<void> {
  await sql`update webhooks set next_attempt_at = now() where webhook_id = ${webhookId} and ${IS_ACTIVE}`.execute(
    tx,
  );
}

/** Lets the deliveries that wait for their next attempt be sent now. */
export async function sendWaitingDeliveries(tx: DatabaseTransaction, webhookId: string): Promise<void> {
  await sql`
    update webhook_deliveries set next_attempt_at = now()
    where webhook_id = ${webhookId} and status = 'pending' and next_attempt_at > now()`.execute(tx);
  await resumeWebhook(tx, webhookId);
}

/** What a worker needs to send the deliveries of a webhook. */
export interface DueWebhook {
  webhookId: string;
  communityId: string;
  encryptedUrl: Buffer;
  encryptedSecrets: Buffer[];
  /** How often the receiver was not available, one time after the other. */
  failures: number;
  /** The time of the database. */
  now: Date;
}

/**
 * Takes up to `limit` webhooks whose turn is due, the longest due first. Of one community, all processes
 * together serve at most about `perCommunity`: two that take some at the same moment can exceed this. Until
 * the end of a turn, and for at most 40 seconds, no other worker serves the webhook.
 */
export async function takeDueWebhooks(
  db: Database,
  { limit, perCommunity }: { limit: number; perCommunity: number },
): Promise<DueWebhook[]> {
  const { rows } = await prepared<{
    webhook_id: string;
    community_id: string;
    encrypted_url: Buffer;
    encrypted_secret: Buffer;
    encrypted_former_secret: Buffer | null;
    failures: number;
    now: Date;
  }>`
    with due as materialized (
      select d.webhook_id, d.next_attempt_at,
        row_number() over (partition by d.community_id order by d.next_attempt_at) + (
          select count(*) from webhooks l where l.community_id = d.community_id and l.leased_until > now()
            and l.deleted_at is null
        ) as place
      from webhooks d where ${IS_FREE} and ${IS_ACTIVE}
    ), taken as materialized (
      select w.webhook_id from due join webhooks w using (webhook_id)
      where due.place <= ${perCommunity}::bigint and ${IS_STILL_FREE}
      order by due.next_attempt_at limit ${limit}::bigint
      for no key update of w skip locked
    )
    update webhooks w set leased_until = now() + interval ${LEASE} from taken where w.webhook_id = taken.webhook_id
    returning w.webhook_id, w.community_id, w.encrypted_url, w.encrypted_secret,
      case when w.former_secret_expires_at > now() then w.encrypted_former_secret end as encrypted_former_secret,
      w.failures, now() as now`.execute(db);
  return rows.map((row) => ({
    webhookId: row.webhook_id,
    communityId: row.community_id,
    encryptedUrl: row.encrypted_url,
    encryptedSecrets: [row.encrypted_secret, row.encrypted_former_secret].filter((secret) => secret !== null),
    failures: row.failures,
    now: row.now,
  }));
}

export interface DueDelivery {
  delivery_id: string;
  webhook_id: string;
  event_id: string;
  event_type: EventType;
  created_at: Date;
  /** How many attempts were made. */
  attempt_count: number;
  /** The event in the feed. Null for a test, and if the event is not kept any more. */
  event: { data: Record<string, unknown>; createdAtTimestamp: number } | null;
}

/**
 * The deliveries of a webhook that are due, the longest due first. None if the webhook gets no events any
 * more.
 */
export async function listDueDeliveries(
  db: Database,
  webhookId: string,
  limit: number,
): Promise<DueDelivery[]> {
  const { rows } = await sql<DueDelivery>`
    select d.delivery_id, d.webhook_id, d.event_id, d.event_type, d.created_at, jsonb_array_length(d.attempts) as attempt_count,
      (
        select jsonb_build_object(
          'data', e.data, 'createdAtTimestamp', (extract(epoch from e.created_at) * 1000)::bigint
        ) from events e where e.position = d.event_position and e.event_id = d.event_id
      ) as event
    from webhook_deliveries d
    where d.webhook_id = ${webhookId} and d.status = 'pending' and d.next_attempt_at <= now()
      and (select ${IS_ACTIVE} from webhooks where webhook_id = ${webhookId})
    order by d.next_attempt_at, d.sequence limit ${limit}`.execute(db);
  return rows;
}

/**
 * Records an attempt. `retryAfterSeconds`: when to try again; null: not again. Returns whether more may be
 * sent to the webhook: it can be stopped during its turn.
 */
export async function recordAttempt(
  db: Database,
  {
    deliveryId,
    attempt,
    status,
    retryAfterSeconds,
  }: {
    deliveryId: string;
    attempt: WebhookAttempt;
    status: WebhookDeliveryStatus;
    retryAfterSeconds: number | null;
  },
): Promise<boolean> {
  const { rows } = await sql<{ is_active: boolean }>`
    update webhook_deliveries set status = ${status}, attempts = attempts || ${JSON.stringify([attempt])}::jsonb,
      next_attempt_at = now() + ${retryAfterSeconds}::double precision * interval '1 second'
    where delivery_id = ${deliveryId} and status = 'pending'
    returning (select ${IS_ACTIVE} from webhooks w where w.webhook_id = webhook_deliveries.webhook_id) as is_active`.execute(
    db,
  );
  return rows[0]?.is_active ?? false;
}

export interface TurnResult {
  /** Whether a request succeeded. */
  hasSucceeded: boolean;
  hasFailed: boolean;
  /** How long to send nothing, because the receiver is not available; null: it is, or nothing was sent. */
  pauseSeconds: number | null;
  /** Why to disable the webhook, whatever succeeded. */
  disabledReason: string | null;
  /**
   * Why to disable the webhook if nothing has succeeded for `maxFailingHours`. Empty if nothing has failed
   * now.
   */
  failingReason: string;
  maxFailingHours: number;
}

/**
 * Ends the turn of a webhook. The next one is due with what is left. Returns whether it has disabled the
 * webhook.
 */
export async function endTurn(
  tx: DatabaseTransaction,
  { webhookId, result }: { webhookId: string; result: TurnResult },
): Promise<boolean> {
  const { hasSucceeded, hasFailed, pauseSeconds, disabledReason, failingReason, maxFailingHours } = result;
  const ended = await sql<{ has_failed_for_long: boolean }>`
    update webhooks set leased_until = null,
      failing_since = case when ${hasSucceeded} then null
        when ${hasFailed} then coalesce(failing_since, now()) else failing_since end,
      failures = case when ${pauseSeconds !== null} then failures + 1 when ${hasSucceeded} then 0 else failures end
    where webhook_id = ${webhookId} and ${IS_ACTIVE}
    returning coalesce(failing_since <= now() - ${maxFailingHours}::double precision * interval '1 hour', false)
        as has_failed_for_long`.execute(tx);
  const [webhook] = ended.rows;
  if (webhook === undefined) return false;
  if (disabledReason !== null || (hasFailed && webhook.has_failed_for_long)) {
    await sql`
      with written as (
        update webhooks set is_enabled = false, disabled_reason = ${disabledReason ?? failingReason}
        where webhook_id = ${webhookId}
        returning community_id, webhook_id
      ), recorded as ${insertAuditEntries({ kind: 'service', apiKeyId: null }, 'disableWebhook')}
      select from written`.execute(tx);
    return true;
  }
  // The row is locked, so deliveries that are not seen here belong to transactions that will make a turn due
  // themselves.
  await sql`
    update webhooks w set next_attempt_at = coalesce(
      now() + ${pauseSeconds}::double precision * interval '1 second',
      (
        select d.next_attempt_at from webhook_deliveries d where d.webhook_id = w.webhook_id and d.status = 'pending'
        order by d.next_attempt_at limit 1
      )
    ) where webhook_id = ${webhookId}`.execute(tx);
  return false;
}

const COLUMNS = [
  'delivery_id',
  'event_id',
  'event_type',
  'status',
  'attempts',
  'next_attempt_at',
  'created_at',
] as const;

export type WebhookDeliveryRow = Pick<Selectable<Tables['webhook_deliveries']>, (typeof COLUMNS)[number]>;

interface DeliveryPage {
  limit: number;
  offset: number;
  status: WebhookDeliveryStatus | undefined;
}

function pageOfDeliveries(db: Database, webhookId: string, { limit, offset, status }: DeliveryPage) {
  const query = db
    .selectFrom('webhook_deliveries')
    .where('webhook_id', '=', webhookId)
    .orderBy('sequence', 'desc')
    .limit(hiddenFromPlanner(limit))
    .offset(hiddenFromPlanner(offset));
  return status === undefined ? query : query.where('status', '=', status);
}

/** The ids of the deliveries that `listDeliveries` returns for the same page. */
export async function listDeliveryIds(
  db: Database,
  webhookId: string,
  page: DeliveryPage,
): Promise<string[]> {
  const rows = await readWithTimeout(db, isFarFromStart(page), (tx) =>
    pageOfDeliveries(tx, webhookId, page).select('delivery_id').execute(),
  );
  return rows.map((row) => row.delivery_id);
}

/**
 * A page of a webhook's deliveries, the newest first. A page at a large offset fails with a statement timeout
 * if it takes longer than 1 second.
 */
export async function listDeliveries(
  db: Database,
  webhookId: string,
  page: DeliveryPage,
): Promise<WebhookDeliveryRow[]> {
  return await readWithTimeout(db, isFarFromStart(page), (tx) =>
    pageOfDeliveries(tx, webhookId, page).select(COLUMNS).execute(),
  );
}

/** Finds deliveries by their ids, the newest first. */
export async function findDeliveries(db: Database, deliveryIds: string[]): Promise<WebhookDeliveryRow[]> {
  return await db
    .selectFrom('webhook_deliveries')
    .select(COLUMNS)
    .where(sql<SqlBool>`delivery_id = any(${deliveryIds}::uuid[])`)
    .orderBy('sequence', 'desc')
    .execute();
}

/**
 * Adds a delivery of a test event, or of the event of an earlier delivery. Somebody waits for it, so it is
 * sent before all others, and even to a receiver that was not available a moment ago.
 *
 * Returns undefined, and changes nothing, if the webhook is disabled, if there is no such delivery, if its
 * event is not kept any more, or if the actor has lost its right.
 */
export async function insertDelivery(
  tx: DatabaseTransaction,
  actor: Actor,
  { communityId, webhookId, of }: WebhookKey & { of: 'test' | { deliveryId: string } },
): Promise<string | undefined> {
  const action = of === 'test' ? 'testWebhook' : 'redeliverWebhook';
  const event =
    of === 'test'
      ? sql`select ${randomUUID()}::uuid as event_id, null::bigint as event_position, 'webhook.test' as event_type`
      : sql`
        select event_id, event_position, event_type from webhook_deliveries d
        where d.delivery_id = ${of.deliveryId} and d.webhook_id = ${webhookId} and (
          d.event_position is null
          or exists (select from events e where e.position = d.event_position and e.event_id = d.event_id)
        )`;
  const { rows } = await sql<{ delivery_id: string }>`
    with inserted as (
      insert into webhook_deliveries (webhook_id, event_id, event_position, event_type, next_attempt_at)
      select w.webhook_id, e.event_id, e.event_position, e.event_type, now() - interval ${KEPT_FOR}
      from webhooks w cross join (${event}) e
      where w.webhook_id = ${webhookId} and w.community_id = ${communityId} and ${IS_ACTIVE}
        and ${mayStillWrite(actor, sql`w.community_id`)}
      returning delivery_id, webhook_id
    ), written as (
      select delivery_id, webhook_id, ${communityId}::text as community_id from inserted
    ), recorded as ${insertAuditEntries(actor, action)}
    select delivery_id from written`.execute(tx);
  const deliveryId = rows[0]?.delivery_id;
  if (deliveryId === undefined) return undefined;
  await resumeWebhook(tx, webhookId);
  return deliveryId;
}

/**
 * Deletes up to `limit` deliveries that are too old, or whose webhook is deleted. Returns how many it
 * deleted.
 */
export async function deleteOldDeliveries(db: Database, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from webhook_deliveries where delivery_id = any(array(
      (select delivery_id from webhook_deliveries where created_at < now() - interval ${KEPT_FOR} order by created_at
       limit ${limit})
      union all
      (select d.delivery_id from webhooks w join webhook_deliveries d using (webhook_id) where w.deleted_at is not null
       limit ${limit})
    ))
    returning 1`.execute(db);
  await sql`
    delete from webhooks w where deleted_at is not null
      and not exists (select from webhook_deliveries d where d.webhook_id = w.webhook_id)`.execute(db);
  return rows.length;
}

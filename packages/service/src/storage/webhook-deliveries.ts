import { randomUUID } from 'node:crypto';
import type { EventType, WebhookAttempt, WebhookDeliveryStatus } from '@badge/protocol';
import { type Selectable, type SqlBool, sql } from 'kysely';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import type { Jobs } from './jobs.ts';
import { hiddenFromPlanner, isFarFromStart, readWithTimeout } from './long-lists.ts';
import { prepared } from './prepared-statements.ts';
import { mayStillWrite } from './rights.ts';
import type { Tables } from './schema.ts';
import type { WebhookKey } from './webhooks.ts';

// Deliveries are rows in the order of the feed. A job sends what is due for one webhook, and adds itself again for the rest.
// So 100,000 deliveries that wait for one receiver are one job. docs/decisions/0043-messages-are-jobs-of-pg-boss.md

/** Nothing is delivered after this time, which docs/interface.md states. */
const KEPT_FOR = sql.lit('30 days');
// A worker sends the deliveries of a webhook for a shorter time.
const LEASE = sql.lit('40 seconds');
// After this time, a job that still waits for a worker counts as lost.
const WAITING_JOB_LIFE = sql.lit('1 minute');
const LEASED_RETRY_SECONDS = 5;

export interface WebhookJob {
  webhookId: string;
}

/** SQL: whether the webhook gets events. */
const IS_ACTIVE = sql<boolean>`(is_enabled and maker_left_at is null and deleted_at is null)`;

/**
 * Adds a delivery of each of the placed events to each webhook that has chosen its type, and returns whether there are any.
 * To be called in the transaction that places the events, so that deliveries exist as soon as the events are in the feed,
 * and not before.
 */
export async function queueDeliveries(
  tx: DatabaseTransaction,
  jobs: Jobs,
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
  await wakeWebhooks(tx, jobs, webhookIds);
  return true;
}

/**
 * Adds a job for each of the webhooks that are active and for which none waits. The lock makes a worker that begins with such
 * a job see what this transaction has added.
 */
export async function wakeWebhooks(tx: DatabaseTransaction, jobs: Jobs, webhookIds: string[]): Promise<void> {
  await sql`
    select from webhooks where webhook_id = any(${webhookIds}::uuid[]) order by webhook_id for no key update`.execute(
    tx,
  );
  const { rows } = await sql<{ webhook_id: string; community_id: string }>`
    update webhooks set woken_at = now()
    where webhook_id = any(${webhookIds}::uuid[]) and ${IS_ACTIVE}
      and (woken_at is null or woken_at < now() - interval ${WAITING_JOB_LIFE})
    returning webhook_id, community_id`.execute(tx);
  await jobs.add(tx, 'webhooks', rows.map(toJob));
}

/** Lets the deliveries that wait for their next attempt be sent now, and adds a job for them. */
export async function sendWaitingDeliveries(
  tx: DatabaseTransaction,
  jobs: Jobs,
  webhookId: string,
): Promise<void> {
  await sql`
    update webhook_deliveries set next_attempt_at = now()
    where webhook_id = ${webhookId} and status = 'pending' and next_attempt_at > now()`.execute(tx);
  await wakeWebhooks(tx, jobs, [webhookId]);
}

function toJob({ webhook_id: webhookId, community_id: group }: { webhook_id: string; community_id: string }) {
  return { group, data: { webhookId } satisfies WebhookJob };
}

/** What a worker needs to send the deliveries of a webhook. */
export interface DeliveryTurn {
  communityId: string;
  encryptedUrl: Buffer;
  encryptedSecrets: Buffer[];
  /** How often the receiver was not available, one time after the other. */
  failures: number;
  /** Whether nothing may be sent yet. */
  isPaused: boolean;
  /** The time of the database. */
  now: Date;
}

/**
 * Begins the turn of a webhook: until its end, no other worker sends its deliveries. Returns undefined if the webhook is
 * disabled or deleted, and if another worker has the turn; then a job for later is added.
 */
export async function beginTurn(
  db: Database,
  jobs: Jobs,
  webhookId: string,
): Promise<DeliveryTurn | undefined> {
  const { rows } = await sql<{
    community_id: string;
    encrypted_url: Buffer;
    encrypted_secret: Buffer;
    encrypted_former_secret: Buffer | null;
    failures: number;
    is_paused: boolean;
    now: Date;
  }>`
    update webhooks set leased_until = now() + interval ${LEASE}, woken_at = null,
      wake_at = case when wake_at > now() then wake_at end
    where webhook_id = ${webhookId} and ${IS_ACTIVE} and (leased_until is null or leased_until <= now())
    returning community_id, encrypted_url, encrypted_secret,
      case when former_secret_expires_at > now() then encrypted_former_secret end as encrypted_former_secret,
      failures, coalesce(paused_until > now(), false) as is_paused, now() as now`.execute(db);
  const [row] = rows;
  if (row === undefined) {
    await addJobForLater(db, jobs, webhookId);
    return undefined;
  }
  return {
    communityId: row.community_id,
    encryptedUrl: row.encrypted_url,
    encryptedSecrets: [row.encrypted_secret, row.encrypted_former_secret].filter((secret) => secret !== null),
    failures: row.failures,
    isPaused: row.is_paused,
    now: row.now,
  };
}

// The worker that has the turn may have read the deliveries before this job was added, or may have been killed.
async function addJobForLater(db: Database, jobs: Jobs, webhookId: string): Promise<void> {
  const { rows } = await sql<{ webhook_id: string; community_id: string }>`
    select webhook_id, community_id from webhooks where webhook_id = ${webhookId} and ${IS_ACTIVE}`.execute(
    db,
  );
  await jobs.add(
    db,
    'webhooks',
    rows.map((row) => ({ ...toJob(row), startAfterSeconds: LEASED_RETRY_SECONDS })),
  );
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

/** The deliveries of a webhook that are due, the longest due first. None if the webhook gets no events any more. */
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
 * Records an attempt. `retryAfterSeconds`: when to try again; null: not again. Returns whether more may be sent to the
 * webhook: it can be stopped while a worker has its turn.
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
  /** Why to disable the webhook if nothing has succeeded for `maxFailingHours`. Empty if nothing has failed now. */
  failingReason: string;
  maxFailingHours: number;
}

/** Ends the turn of a webhook, and adds a job for what is left. Returns whether it has disabled the webhook. */
export async function endTurn(
  tx: DatabaseTransaction,
  jobs: Jobs,
  { webhookId, result }: { webhookId: string; result: TurnResult },
): Promise<boolean> {
  const { hasSucceeded, hasFailed, pauseSeconds, disabledReason, failingReason, maxFailingHours } = result;
  const ended = await sql<{ webhook_id: string; community_id: string; has_failed_for_long: boolean }>`
    update webhooks set leased_until = null,
      failing_since = case when ${hasSucceeded} then null
        when ${hasFailed} then coalesce(failing_since, now()) else failing_since end,
      failures = case when ${pauseSeconds !== null} then failures + 1 when ${hasSucceeded} then 0 else failures end,
      paused_until = case when ${pauseSeconds}::double precision is not null
          then now() + ${pauseSeconds}::double precision * interval '1 second'
        when ${hasSucceeded} then null else paused_until end
    where webhook_id = ${webhookId} and ${IS_ACTIVE}
    returning webhook_id, community_id,
      coalesce(failing_since <= now() - ${maxFailingHours}::double precision * interval '1 hour', false)
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
  // The row is locked, so deliveries that are not seen here belong to transactions that will add a job themselves.
  const { rows } = await sql<{ wait_seconds: number }>`
    with next as materialized (
      select greatest(now(), w.paused_until, first.next_attempt_at) as at
      from webhooks w cross join lateral (
        select d.next_attempt_at from webhook_deliveries d where d.webhook_id = w.webhook_id and d.status = 'pending'
        order by d.next_attempt_at limit 1
      ) first
      where w.webhook_id = ${webhookId}
    )
    update webhooks set
      woken_at = case when next.at <= now() then now() else woken_at end,
      wake_at = case when next.at <= now() then wake_at else next.at end
    from next
    where webhook_id = ${webhookId} and case
      when next.at <= now() then woken_at is null or woken_at < now() - interval ${WAITING_JOB_LIFE}
      else wake_at is null or wake_at <= now() or wake_at > next.at
    end
    returning extract(epoch from next.at - now())::double precision as wait_seconds`.execute(tx);
  const [next] = rows;
  if (next !== undefined) {
    await jobs.add(tx, 'webhooks', [{ ...toJob(webhook), startAfterSeconds: next.wait_seconds }]);
  }
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
 * A page of a webhook's deliveries, the newest first. A page at a large offset fails with a statement timeout if it takes
 * longer than 1 second.
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
 * Adds a delivery of a test event, or of the event of an earlier delivery. Somebody waits for it, so it is sent before all
 * others, and even to a receiver that was not available a moment ago. Returns undefined, and changes nothing, if the
 * webhook is disabled, if there is no such delivery, if its event is not kept any more, or if the actor has lost its right.
 */
export async function insertDelivery(
  tx: DatabaseTransaction,
  jobs: Jobs,
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
  await sql`update webhooks set paused_until = null where webhook_id = ${webhookId}`.execute(tx);
  await wakeWebhooks(tx, jobs, [webhookId]);
  return deliveryId;
}

/** Deletes up to `limit` deliveries that are too old, or whose webhook is deleted. Returns how many it deleted. */
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

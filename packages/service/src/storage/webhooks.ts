import type { ChosenEventType } from '@badge/protocol';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { mayStillWrite, memberBehind } from './rights.ts';
import type { Tables } from './schema.ts';

const COLUMNS = [
  'webhook_id',
  'community_id',
  'encrypted_url',
  'created_by',
  'maker_left_at',
  'name',
  'events',
  'is_enabled',
  'disabled_reason',
  'failing_since',
  'former_secret_expires_at',
  'created_at',
] as const;

export type WebhookRow = Pick<Selectable<Tables['webhooks']>, (typeof COLUMNS)[number]>;

/** SQL: the columns that the API shows. A former secret that has expired counts as absent. */
const SHOWN = sql<WebhookRow>`webhook_id, community_id, encrypted_url, created_by, maker_left_at, name, events,
  is_enabled, disabled_reason, failing_since,
  case when former_secret_expires_at > now() then former_secret_expires_at end as former_secret_expires_at, created_at`;

export interface WebhookKey {
  communityId: string;
  webhookId: string;
}

/** How long requests are also signed with the secret before the last one. docs/api.md states it. */
const FORMER_SECRET_HOURS = sql.lit(24);

/**
 * Adds a webhook. Returns undefined, and changes nothing, if the actor has lost its right. The caller must
 * have locked the community, so that it has no more webhooks than it may have.
 */
export async function insertWebhook(
  tx: DatabaseTransaction,
  actor: Actor,
  webhook: WebhookKey & {
    encryptedUrl: Buffer;
    name: string;
    events: ChosenEventType[] | null;
    encryptedSecret: Buffer;
  },
): Promise<WebhookRow | undefined> {
  const { communityId, webhookId, encryptedUrl, name, events, encryptedSecret } = webhook;
  const { rows } = await sql<WebhookRow>`
    with written as (
      insert into webhooks (webhook_id, community_id, encrypted_url, name, events, encrypted_secret,
        created_by, url_set_by, secret_made_by)
      select ${webhookId}::uuid, ${communityId}::text, ${encryptedUrl}::bytea, ${name}::text, ${events}::text[],
             ${encryptedSecret}::bytea, maker.address, maker.address, maker.address
      from (select ${memberBehind(actor)} as address) as maker
      where ${mayStillWrite(actor, sql`${communityId}::text`)}
      returning ${SHOWN}
    ), recorded as ${insertAuditEntries(actor, 'createWebhook')}
    select * from written`.execute(tx);
  return rows[0];
}

/** The number of the community's webhooks. */
export async function countWebhooks(db: Database, communityId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from webhooks where community_id = ${communityId} and deleted_at is null`.execute(db);
  return rows[0]?.count ?? 0;
}

/** A page of the community's webhooks, the oldest first. */
export async function listWebhooks(
  db: Database,
  page: { communityId: string; limit: number; offset: number },
): Promise<WebhookRow[]> {
  const { rows } = await sql<WebhookRow>`
    select ${SHOWN} from webhooks where community_id = ${page.communityId} and deleted_at is null
    order by sequence limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

export async function findWebhook(
  db: Database,
  { communityId, webhookId }: WebhookKey,
): Promise<WebhookRow | undefined> {
  const { rows } = await sql<WebhookRow>`
    select ${SHOWN} from webhooks
    where webhook_id = ${webhookId} and community_id = ${communityId} and deleted_at is null`.execute(db);
  return rows[0];
}

/**
 * Locks a webhook. A statement that writes it afterwards does not wait, so it sees the right of its actor as
 * it is then: one that waits for a row checks again only this row, but not the tables of the right.
 */
export async function lockWebhook(
  tx: DatabaseTransaction,
  { communityId, webhookId }: WebhookKey,
): Promise<WebhookRow | undefined> {
  const { rows } = await sql<WebhookRow>`
    select ${SHOWN} from webhooks
    where webhook_id = ${webhookId} and community_id = ${communityId} and deleted_at is null
    for no key update`.execute(tx);
  return rows[0];
}

/** The encrypted secret of a webhook; undefined if the webhook is not the actor's. */
export async function findOwnWebhookSecret(
  db: Database,
  actor: Actor,
  { communityId, webhookId }: WebhookKey,
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ encrypted_secret: Buffer }>`
    select encrypted_secret from webhooks
    where webhook_id = ${webhookId} and community_id = ${communityId} and deleted_at is null
      and created_by is not distinct from ${memberBehind(actor)}`.execute(db);
  return rows[0]?.encrypted_secret;
}

/**
 * Changes a webhook. With `isEnabled: true`, the webhook is as if it had never failed. With a URL, it is the
 * actor's from now on. The caller must have locked the community, so that an actor that is removed meanwhile
 * does not become its maker.
 *
 * Returns undefined if there is no such webhook, if the actor has lost its right, or if the webhook shall be
 * enabled although its maker is no longer an owner.
 */
export async function updateWebhook(
  tx: DatabaseTransaction,
  actor: Actor,
  {
    communityId,
    webhookId,
    changes: { encryptedUrl, name, events, isEnabled },
  }: WebhookKey & {
    changes: {
      encryptedUrl?: Buffer | undefined;
      name?: string | undefined;
      events?: ChosenEventType[] | null | undefined;
      isEnabled?: boolean | undefined;
    };
  },
): Promise<WebhookRow | undefined> {
  const makerIfUrl = (present: RawBuilder<unknown>) =>
    encryptedUrl === undefined ? present : memberBehind(actor);
  const isReset = sql`${isEnabled ?? false}::boolean`;
  const { rows } = await sql<WebhookRow>`
    with written as (
      update webhooks set
        encrypted_url = coalesce(${encryptedUrl ?? null}::bytea, encrypted_url),
        created_by = ${makerIfUrl(sql`created_by`)},
        url_set_by = ${makerIfUrl(sql`url_set_by`)},
        name = coalesce(${name ?? null}::text, name),
        events = case when ${events !== undefined}::boolean then ${events ?? null}::text[] else events end,
        is_enabled = coalesce(${isEnabled ?? null}::boolean, is_enabled),
        disabled_reason = case when ${isEnabled ?? null}::boolean is null then disabled_reason end,
        failing_since = case when not ${isReset} then failing_since end,
        failures = case when ${isReset} then 0 else failures end
      where webhook_id = ${webhookId} and community_id = ${communityId} and deleted_at is null
        and (maker_left_at is null or not ${isReset})
        and ${mayStillWrite(actor, sql`webhooks.community_id`)}
      returning ${SHOWN}
    ), recorded as ${insertAuditEntries(actor, 'updateWebhook')}
    select * from written`.execute(tx);
  return rows[0];
}

/**
 * Deletes a webhook, its URL and its secrets. Its deliveries are deleted later. Returns false if there is no
 * such webhook, or if the actor has lost its right.
 */
export async function deleteWebhook(
  tx: DatabaseTransaction,
  actor: Actor,
  { communityId, webhookId }: WebhookKey,
): Promise<boolean> {
  const { rows } = await sql`
    with written as (
      update webhooks set deleted_at = now(), is_enabled = false, encrypted_url = '', encrypted_secret = '',
        encrypted_former_secret = null, former_secret_expires_at = null
      where webhook_id = ${webhookId} and community_id = ${communityId} and deleted_at is null
        and ${mayStillWrite(actor, sql`webhooks.community_id`)}
      returning community_id, webhook_id
    ), recorded as ${insertAuditEntries(actor, 'deleteWebhook')}
    select from written`.execute(tx);
  return rows.length > 0;
}

/**
 * Replaces the secret of a webhook. The present one stays valid for a day. The webhook is the actor's from
 * now on, so it goes on if its former maker has left; then who gives the secret also answers for the URL.
 * Returns undefined if there is no such webhook, or if the actor has lost its right. The caller must have
 * locked the community, so that an actor that is removed meanwhile does not become its maker.
 */
export async function rotateWebhookSecret(
  tx: DatabaseTransaction,
  actor: Actor,
  { communityId, webhookId, encryptedSecret }: WebhookKey & { encryptedSecret: Buffer },
): Promise<WebhookRow | undefined> {
  const { rows } = await sql<WebhookRow>`
    with written as (
      update webhooks set encrypted_former_secret = encrypted_secret, encrypted_secret = ${encryptedSecret},
        former_secret_expires_at = now() + interval '1 hour' * ${FORMER_SECRET_HOURS},
        created_by = ${memberBehind(actor)}, secret_made_by = ${memberBehind(actor)},
        url_set_by = case when maker_left_at is null then url_set_by else ${memberBehind(actor)} end, maker_left_at = null
      where webhook_id = ${webhookId} and community_id = ${communityId} and deleted_at is null
        and ${mayStillWrite(actor, sql`webhooks.community_id`)}
      returning ${SHOWN}
    ), recorded as ${insertAuditEntries(actor, 'rotateWebhookSecret')}
    select * from written`.execute(tx);
  return rows[0];
}

/**
 * SQL: a CTE that stops the webhooks whose URL or secret was set by members of the query `members`, who are
 * no longer owners. A statement that adds it as `stopped` also records its rows.
 */
export function stopWebhooksOf(members: RawBuilder<unknown>): RawBuilder<object> {
  return sql`(
    update webhooks w set maker_left_at = now() from ${members} as m
    where w.community_id = m.community_id and m.address in (w.created_by, w.url_set_by, w.secret_made_by)
      and w.deleted_at is null and w.maker_left_at is null
    returning w.community_id, w.webhook_id
  )`;
}

/** Counts the webhooks without a secret: an archive has none. */
export async function countWebhooksWithoutSecret(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from webhooks where deleted_at is null and encrypted_secret = ''`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The encrypted secret of the newest webhook; null if there is none. */
export async function findNewestWebhookSecret(
  db: Database,
): Promise<{ webhookId: string; encrypted: Buffer } | null> {
  const { rows } = await sql<{ webhookId: string; encrypted: Buffer }>`
    select webhook_id as "webhookId", encrypted_secret as encrypted from webhooks
    where deleted_at is null and encrypted_secret <> ''
    order by created_at desc limit 1`.execute(db);
  return rows[0] ?? null;
}

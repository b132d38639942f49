import { createHash } from 'node:crypto';
import type { BadgeEvent } from '@badge/protocol';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database, DatabaseTransaction } from './database.ts';
import { prepared } from './prepared-statements.ts';
import type { Tables } from './schema.ts';

export type EventRow = Selectable<Tables['events']>;

// How long events can be read. docs/api.md states it.
const KEPT_FOR = sql.lit('30 days');

/** Positions of the feed, both inclusive. */
export interface PlacedEvents {
  firstPosition: number;
  lastPosition: number;
}

/**
 * SQL of a CTE that records an event for each row of the CTE `written`, which has the column `community_id`.
 * The event is in the feed soon after the commit. `data` is a jsonb expression of the row's columns.
 */
export function insertEvents(
  type: BadgeEvent['type'],
  data: RawBuilder<unknown>,
  written = 'written',
): RawBuilder<object> {
  return sql`(
    insert into event_outbox (community_id, type, data) select community_id, ${type}, ${data} from ${sql.ref(written)}
  )`;
}

/** Whether committed events wait for their places in the feed. */
export async function hasWaitingEvents(db: Database): Promise<boolean> {
  const { rows } = await prepared`select from event_outbox limit 1`.execute(db);
  return rows.length > 0;
}

/** Whether more than so many committed events wait. */
export async function hasManyWaitingEvents(db: Database, count: number): Promise<boolean> {
  const { rows } = await prepared`select from event_outbox offset ${count}::bigint limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Moves up to `limit` committed events to the feed, in the order in which they were recorded. Returns null if
 * there are none. Until the end of the transaction, no other one can move events, so positions follow the
 * order of commits.
 */
export async function placeEvents(tx: DatabaseTransaction, limit: number): Promise<PlacedEvents | null> {
  // A statement of its own, so that the next one sees what the last holder of the lock has committed.
  await prepared`select from event_counter for update`.execute(tx);
  const { rows } = await prepared<{ first_position: number; last_position: number }>`
    with moved as (
      delete from event_outbox where sequence = any(array(
        select sequence from event_outbox order by sequence limit (select ${limit}::bigint)
      ))
      returning *
    ), placed as (
      insert into events (position, event_id, community_id, type, data, created_at)
      select c.last_position + row_number() over (order by m.sequence),
        m.event_id, m.community_id, m.type, m.data, m.created_at
      from moved m cross join event_counter c
      returning position
    )
    update event_counter set last_position = p.last_position
    from (select min(position) as first_position, max(position) as last_position from placed) p
    where p.last_position is not null
    returning p.first_position, p.last_position`.execute(tx);
  const [row] = rows;
  return row === undefined ? null : { firstPosition: row.first_position, lastPosition: row.last_position };
}

/**
 * Where a reader of the feed is: after the event at `position`, which has this mark for the community of the
 * reader.
 */
export interface FeedPosition {
  position: number;
  mark: string;
}

export const MARK_CHARACTERS = 8;

/**
 * The mark of an event for a community, as `event_mark()` of the database. It does not show the id, because
 * the event can be of another community.
 */
export function markOf(eventId: string, communityId: string): string {
  return createHash('sha256').update(`${eventId} ${communityId}`).digest('hex').slice(0, MARK_CHARACTERS);
}

export interface FeedPage {
  /** Up to one event more than the limit. */
  events: EventRow[];
  /** The end of the feed at the time of the query, for all communities. Null if no event is stored. */
  end: FeedPosition | null;
  /**
   * Whether events after the position may be missing: they were deleted, or the position is not of this feed,
   * because the database was restored, or a failover has lost transactions.
   */
  isExpired: boolean;
}

interface FeedRow {
  is_expired: boolean;
  end: FeedPosition | null;
  events: (Omit<EventRow, 'created_at'> & { created_at: number })[] | null;
}

/** Reads a community's events after a position; null: from the oldest one that is stored. */
export async function readFeed(
  db: Database,
  { communityId, after, limit }: { communityId: string; after: FeedPosition | null; limit: number },
): Promise<FeedPage> {
  const position = after?.position ?? 0;
  // One statement, so that the end, the deleted events and the page are of the same snapshot.
  const { rows } = await prepared<FeedRow>`
    select
      case
        when ${after === null}::boolean then false
        when ${position}::bigint < c.last_deleted_position or ${position}::bigint > c.last_position then true
        when ${position}::bigint = c.last_deleted_position then false
        else not exists (
          select from events e
          where e.position = ${position}::bigint and event_mark(e.event_id, ${communityId}::text) = ${after?.mark ?? ''}::text
        )
      end as is_expired,
      (
        select json_build_object('position', e.position, 'mark', event_mark(e.event_id, ${communityId}::text))
        from events e where e.position = c.last_position
      ) as "end",
      (
        select json_agg(json_build_object(
          'position', e.position, 'event_id', e.event_id, 'community_id', e.community_id, 'type', e.type,
          'data', e.data, 'created_at', (extract(epoch from e.created_at) * 1000)::bigint
        ) order by e.position)
        from (
          select * from events e
          where e.community_id = ${communityId}::text and e.position > ${position}::bigint
          order by e.community_id, e.position limit (select ${limit + 1}::bigint)
        ) e
      ) as events
    from event_counter c`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('event_counter has no row');
  const events = (row.events ?? []).map((event) => ({ ...event, created_at: new Date(event.created_at) }));
  return { events, end: row.end, isExpired: row.is_expired };
}

/** Returns the position of the newest event of each of the communities that has one. */
export async function findLastPositions(db: Database, communityIds: string[]): Promise<Map<string, number>> {
  const { rows } = await prepared<{ community_id: string; position: number }>`
    select c.community_id, e.position from unnest((select ${communityIds}::text[])) as c (community_id)
    cross join lateral (
      select position from events e where e.community_id = c.community_id
      order by e.community_id desc, e.position desc limit 1
    ) e`.execute(db);
  return new Map(rows.map((row) => [row.community_id, row.position]));
}

/** Deletes events that are too old, up to `limit`, from the oldest on. Returns how many it deleted. */
export async function deleteOldEvents(tx: DatabaseTransaction, limit: number): Promise<number> {
  await sql`select from event_counter for update`.execute(tx);
  // An event can be recorded a little later than one after it, so the last one that is too old decides.
  const { rows } = await sql<{ deleted: number }>`
    with old as materialized (
      select max(position) as position from (
        select position, created_at from events order by position limit ${limit}
      ) first where created_at < now() - interval ${KEPT_FOR}
    ), deleted as (
      delete from events e using old where e.position <= old.position returning 1
    ), counted as (
      update event_counter set last_deleted_position = old.position from old where old.position is not null
    )
    select count(*) as deleted from deleted`.execute(tx);
  return rows[0]?.deleted ?? 0;
}

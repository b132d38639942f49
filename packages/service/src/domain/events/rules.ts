import type { BadgeEvent } from '@badge/protocol';
import { parseAddress, toChecksumAddress } from '../../signatures/address.ts';
import { type EventRow, type FeedPosition, MARK_CHARACTERS, markOf } from '../../storage/events.ts';

const CURSOR = new RegExp(`^([1-9]\\d{0,14})-([0-9a-f]{${MARK_CHARACTERS}})$`);

/** The cursor of a reader that has read nothing, of a feed without events. */
const START = '0';

/** The cursor of a place in the feed; null: its start. */
export function toCursor(position: FeedPosition | null): string {
  return position === null ? START : `${position.position}-${position.mark}`;
}

/** The place of a cursor; null: the start of the feed. Undefined if the cursor is malformed. */
export function parseCursor(cursor: string): FeedPosition | null | undefined {
  if (cursor === START) return null;
  const [, position, mark] = CURSOR.exec(cursor) ?? [];
  if (position === undefined || mark === undefined) return undefined;
  return { position: Number(position), mark };
}

/** The place after an event. */
export function positionOf({ position, event_id, community_id }: EventRow): FeedPosition {
  return { position, mark: markOf(event_id, community_id) };
}

/** An event as the API returns it, and as webhooks send it. */
export function toEvent({
  event_id,
  type,
  created_at,
  community_id,
  data,
}: Omit<EventRow, 'position'>): BadgeEvent {
  return {
    eventId: event_id,
    type,
    createdAtTimestamp: created_at.getTime(),
    communityId: community_id,
    data: Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, isAddress(name) ? formatAddress(value) : value]),
    ),
  } as BadgeEvent;
}

function isAddress(name: string): boolean {
  return name === 'address' || name === 'toAddress';
}

function formatAddress(hex: unknown): string {
  return toChecksumAddress(parseAddress(`0x${hex}`));
}

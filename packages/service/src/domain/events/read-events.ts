import type { EventPage } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { readFeed } from '../../storage/events.ts';
import { type Caller, checkMayActFor, checkMayStillWrite } from '../caller.ts';
import { readCommunityRow } from '../communities/read-community.ts';
import type { Reader, Wait } from '../reader.ts';
import { invalidRequest, Refusal } from '../refusal.ts';
import { parseCursor, positionOf, toCursor, toEvent } from './rules.ts';

// More than an event needs in JSON.
const EVENT_BYTES = 1_024;

/**
 * Reads a community's events after a cursor, or after the present `end`, in the order of commits. If there
 * are none, waits for one; null: does not wait.
 */
export async function readEvents(
  context: Context,
  reader: Reader,
  caller: Caller,
  {
    communityId,
    after,
    limit,
    wait,
  }: {
    communityId: string;
    after: string | undefined;
    limit: number;
    wait: Wait | null;
  },
): Promise<EventPage> {
  await readCommunityRow(context, communityId);
  await checkMayActFor(context, caller, communityId);
  const position =
    after === undefined
      ? null
      : after === 'end'
        ? (await readFeed(context.database, { communityId, after: null, limit: 0 })).end
        : parseCursor(after);
  if (position === undefined) {
    throw invalidRequest([
      { parameter: 'after', detail: 'must be the nextCursor of an earlier response, or end' },
    ]);
  }
  const readPage = () =>
    reader.read((limit + 1) * EVENT_BYTES, () =>
      readFeed(context.database, { communityId, after: position, limit }),
    );
  let page = await readPage();
  if (page.events.length === 0 && !page.isExpired && wait !== null) {
    const feed = { communityId, position: page.end?.position ?? 0 };
    await context.waits.untilEvent(feed, wait.maxMs, wait.signal);
    page = await readPage();
    // The right can be lost during the wait. `neededRole` is that of this read.
    await checkMayStillWrite(context.database, caller, communityId);
  }
  if (page.isExpired) {
    throw new Refusal(
      'CursorExpired',
      'Events after this cursor may be missing. Read the current state, then the events without `after`.',
    );
  }
  const events = page.events.slice(0, limit);
  const last = events.at(-1);
  const hasMore = page.events.length > limit;
  return {
    data: events.map(toEvent),
    // At the end of the community's events, the cursor is at the end of all events. So it does not expire
    // while the community has none.
    nextCursor: toCursor(hasMore && last !== undefined ? positionOf(last) : page.end),
    hasMore,
  };
}

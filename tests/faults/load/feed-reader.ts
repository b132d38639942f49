import type { EventPage } from '@badge/protocol';
import type { Random } from '../random.ts';
import { COMMUNITY_ID } from './requests.ts';
import type { World } from './world.ts';

const WAIT_SECONDS = 2;
const MAX_LIMIT = 200;

/**
 * Reads the next page of the feed, from any process, and journals its events. A page is not read again, so
 * the journal contains every event exactly once, in the order of the feed.
 */
export async function readFeed(world: World, random: Random): Promise<void> {
  const { client, journal, feed, apiKey } = world;
  const processName = random.pick([...client.apiNames]);
  if (processName === undefined) return;
  const after = feed.cursor === null ? '' : `&after=${feed.cursor}`;
  const limit = random.integer(1, MAX_LIMIT);
  const response = await client.readFrom(
    processName,
    `/v1/communities/${COMMUNITY_ID}/events?wait=${WAIT_SECONDS}&limit=${limit}${after}`,
    { headers: { Authorization: `Bearer ${apiKey}` } },
  );
  // A broken connection or a 503.
  const text = await response?.text().catch(() => undefined);
  if (response === undefined || text === undefined) return;
  if (response.status !== 200) {
    await journal.violation('I9', `the feed returned ${response.status}: ${text}`);
    return;
  }
  const page = JSON.parse(text) as EventPage;
  // The cursor is kept only together with the events.
  await journal.append({ type: 'feed', eventIds: page.data.map(({ eventId }) => eventId) });
  feed.cursor = page.nextCursor;
}

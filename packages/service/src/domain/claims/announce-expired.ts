import type { Context } from '../../context.ts';
import { hasManyWaitingEvents } from '../../storage/events.ts';
import { announceNextExpired, listDueTokens } from '../../storage/expiry.ts';
import { lockTokensOfRequests } from '../../storage/token-locks.ts';

const MAX_TOKENS = 250;
// A piece locks its tokens for some ten milliseconds.
const MAX_OWNERS = 1_000;
const MIN_OWNERS_OF_TOKEN = 4;
// The events of others wait behind so many at most.
const MAX_WAITING_EVENTS = 2_000;

/**
 * Returns a function that writes the events of a piece of the owners whose token has ended. The caller pauses
 * between the pieces, so that requests and claims keep their speed. `onAnnounced` is called after the commit.
 */
export function createExpiryAnnouncer(context: Context, onAnnounced: () => void): () => Promise<boolean> {
  return async () => {
    const dueIds = await listDueTokens(context.database, MAX_TOKENS);
    if (dueIds.length === 0 || (await hasManyWaitingEvents(context.database, MAX_WAITING_EVENTS)))
      return false;
    const ownersOfToken = Math.max(MIN_OWNERS_OF_TOKEN, Math.floor(MAX_OWNERS / dueIds.length));
    const announced = await context.transaction(async (tx) => {
      // One that is just being replaced is left out.
      const tokens = await lockTokensOfRequests(
        tx,
        dueIds.map((tokenId) => ({ tokenId })),
      );
      return await announceNextExpired(
        tx,
        tokens.map(({ tokenId }) => tokenId),
        ownersOfToken,
      );
    });
    if (announced > 0) onAnnounced();
    return false;
  };
}

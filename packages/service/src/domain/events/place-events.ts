import type { Context } from '../../context.ts';
import {
  deleteOldEvents as deleteOldEventRows,
  hasWaitingEvents,
  placeEvents,
} from '../../storage/events.ts';
import { queueDeliveries } from '../../storage/webhook-deliveries.ts';

const MAX_EVENTS = 1_000;
const MAX_DELETED_EVENTS = 10_000;

/**
 * Returns a function that gives committed events their places in the feed, adds their deliveries to webhooks,
 * and returns whether there may be more. `onPlaced` is called after the commit, and then `onQueued` if there
 * are new deliveries.
 */
export function createEventPlacer(
  context: Context,
  { onPlaced, onQueued }: { onPlaced: () => void; onQueued: () => void },
): () => Promise<boolean> {
  return async () => {
    // Most polls find nothing, and then need no transaction.
    if (!(await hasWaitingEvents(context.database))) return false;
    const placed = await context.transaction(async (tx) => {
      const events = await placeEvents(tx, MAX_EVENTS);
      if (events === null) return null;
      // So the deliveries exist as soon as the events are in the feed, and not before.
      return { ...events, hasDeliveries: await queueDeliveries(tx, events) };
    });
    if (placed === null) return false;
    onPlaced();
    if (placed.hasDeliveries) onQueued();
    return placed.lastPosition - placed.firstPosition + 1 === MAX_EVENTS;
  };
}

/** Deletes events that are older than 30 days. Returns whether there may be more. */
export async function deleteOldEvents(context: Context): Promise<boolean> {
  const deleted = await context.transaction((tx) => deleteOldEventRows(tx, MAX_DELETED_EVENTS));
  return deleted === MAX_DELETED_EVENTS;
}

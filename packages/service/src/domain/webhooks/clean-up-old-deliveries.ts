import type { Context } from '../../context.ts';
import { deleteOldDeliveries } from '../../storage/webhook-deliveries.ts';

const MAX_DELIVERIES = 5_000;

/**
 * Deletes deliveries that are older than 30 days, and those of deleted webhooks. Returns whether there may be
 * more.
 */
export async function cleanUpOldDeliveries({ database }: Context): Promise<boolean> {
  return (await deleteOldDeliveries(database, MAX_DELIVERIES)) >= MAX_DELIVERIES;
}

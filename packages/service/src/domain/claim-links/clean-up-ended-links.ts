import type { Context } from '../../context.ts';
import { deleteClientsOfEndedLink } from '../../storage/claim-links.ts';

/**
 * Deletes what is stored about the clients of the next room link that has ended. Returns false if there is
 * none.
 */
export async function cleanUpNextEndedLink(context: Context): Promise<boolean> {
  return await context.transaction(deleteClientsOfEndedLink);
}

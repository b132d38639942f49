import type { Context } from '../../context.ts';
import { deleteExpiredSessions } from '../../storage/sessions.ts';

const MAX_SESSIONS_PER_CLEANUP = 1_000;

/**
 * Deletes expired sessions, and with them the nonces of their challenges. Returns whether there may be more.
 */
export async function cleanUpExpiredSessions({ database }: Context): Promise<boolean> {
  return (await deleteExpiredSessions(database, MAX_SESSIONS_PER_CLEANUP)) === MAX_SESSIONS_PER_CLEANUP;
}

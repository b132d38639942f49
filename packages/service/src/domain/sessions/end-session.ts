import type { Context } from '../../context.ts';
import { endSession as endStoredSession } from '../../storage/sessions.ts';

/** Ends a session. Every process rejects its token from the next request on. */
export async function endSession(context: Context, sessionId: string): Promise<void> {
  await endStoredSession(context.database, sessionId);
}

import type { Context } from '../../context.ts';
import { endMailedCodes } from '../../storage/email-challenges.ts';
import { endSessionsOf, endSession as endStoredSession, type SessionHolder } from '../../storage/sessions.ts';

/** Ends a session. Every process rejects its token from the next request on. */
export async function endSession(context: Context, sessionId: string): Promise<void> {
  await endStoredSession(context.database, sessionId);
}

/**
 * Ends all sessions of the wallet or the e-mail address that has signed in, and the codes that were mailed to
 * the address: somebody who has read one must not sign in after.
 */
export async function endAllSessions(context: Context, holder: SessionHolder): Promise<void> {
  await context.transaction(async (tx) => {
    await endSessionsOf(tx, holder);
    if ('emailHash' in holder) await endMailedCodes(tx, holder.emailHash);
  });
}

import type { SessionItem } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { listSessionsOf, type SessionHolder } from '../../storage/sessions.ts';
import type { Reader } from '../reader.ts';
import { MAX_SESSIONS_PER_ADDRESS } from './rules.ts';

const SESSION_BYTES = 256;

/** Lists the valid sessions of the wallet or the e-mail address that has signed in, newest first. */
export async function listSessions(
  context: Context,
  reader: Reader,
  session: SessionHolder & { sessionId: string },
  page: { limit: number; offset: number },
): Promise<SessionItem[]> {
  const maxItems = Math.min(page.limit, MAX_SESSIONS_PER_ADDRESS);
  const rows = await reader.read(maxItems * SESSION_BYTES, () =>
    listSessionsOf(context.database, session, page),
  );
  return rows.map((row) => ({
    isCurrent: row.session_id === session.sessionId,
    createdAtTimestamp: row.created_at.getTime(),
    expiresAtTimestamp: row.expires_at.getTime(),
  }));
}

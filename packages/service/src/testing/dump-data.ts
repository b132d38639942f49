import { dumpTables, query } from '@badge/test-support/sql';

/**
 * Returns the rows that only requests change, as text, except those of some tables. A process deletes expired sessions and
 * old changes of tokens, moves the horizon before which changes are deleted, places events, and sends them
 * to webhooks, although no request writes.
 */
export async function dumpData(url: string, exceptTables: string[] = []): Promise<string> {
  const tables = await dumpTables(url, [
    ...exceptTables,
    'token_changes',
    'token_changes_horizon',
    'event_outbox',
    'events',
    'event_counter',
    'sessions',
    'webhooks',
    'webhook_deliveries',
  ]);
  const sessions = await query(url, 'select * from sessions where expires_at > now() order by session_id');
  const webhooks = await query(
    url,
    `select webhook_id, url, name, events, encrypted_secret, encrypted_former_secret, is_enabled, deleted_at
     from webhooks order by webhook_id`,
  );
  return `${tables}\n${JSON.stringify([sessions, webhooks])}`;
}

import { hashTables, query } from '@badge/test-support/sql';

/**
 * Returns hashes of the rows that only requests change, except those of some tables. A process deletes
 * expired sessions and old changes of tokens, moves the horizon before which changes are deleted, places
 * events, sends them to webhooks, and sends mails, although no request writes.
 */
export async function hashData(url: string, exceptTables: string[] = []): Promise<string> {
  const tables = await hashTables(url, [
    ...exceptTables,
    'token_changes',
    'token_changes_horizon',
    'event_outbox',
    'events',
    'event_counter',
    'sessions',
    'webhooks',
    'webhook_deliveries',
    'invitations',
    'mail_turns',
    'resubscription_mails',
    'email_challenges',
    'mail_counts',
    'requested_mails',
    'reservation_clients',
    'reservation_counts',
  ]);
  const sessions = await query(url, 'select * from sessions where expires_at > now() order by session_id');
  // What a process changes when it sends something is left out.
  const webhooks = await query(
    url,
    `select webhook_id, name, events, encrypted_secret, encrypted_former_secret, is_enabled, deleted_at
     from webhooks order by webhook_id`,
  );
  const invitations = await query(
    url,
    `select invitation_id, token_id, email_hash, mail_id, revoked_at from invitations
     where kind <> 'confirmation' order by invitation_id`,
  );
  return `${tables}\n${JSON.stringify([sessions, webhooks, invitations])}`;
}

import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { DatabaseTransaction } from './database.ts';
import { ADDRESS_KEPT_FOR, CLAIM_OF_INVITATION, IS_BY_COMMUNITY } from './invitations.ts';
import { removeRecipients } from './recipients.ts';
import { mayStillWrite } from './rights.ts';

/** Which of the queued invitations of a community. Each given part must match. */
export interface QueuedMails {
  communityId: string;
  tokenId?: number | undefined;
  emailHash?: Buffer | undefined;
  /** Those that this member has queued, also with its API keys. */
  createdBy?: Address | undefined;
  createdByKey?: string | undefined;
}

// SQL: whether the invitation `i` is one of the queued ones.
function isQueued(mails: QueuedMails): RawBuilder<SqlBool> {
  const { communityId, tokenId, emailHash, createdBy, createdByKey } = mails;
  const conditions = [
    sql`i.community_id = ${communityId} and i.next_attempt_at is not null and ${IS_BY_COMMUNITY}`,
    ...(tokenId === undefined ? [] : [sql`i.token_id = ${tokenId}`]),
    ...(emailHash === undefined ? [] : [sql`i.email_hash = ${emailHash}::bytea`]),
    ...(createdBy === undefined ? [] : [sql`i.created_by = ${createdBy}::bytea`]),
    ...(createdByKey === undefined ? [] : [sql`i.created_by_key = ${createdByKey}::uuid`]),
  ];
  return sql`(${sql.join(conditions, sql` and `)})`;
}

/** The tokens of the queued invitations. */
export async function findTokensOfQueuedMails(
  tx: DatabaseTransaction,
  mails: QueuedMails,
): Promise<number[]> {
  const { rows } = await sql<{ token_id: number }>`
    select distinct i.token_id from invitations i where ${isQueued(mails)}`.execute(tx);
  return rows.map((row) => row.token_id);
}

/**
 * Revokes the queued invitations to these tokens, with their links and the entries that were added for them,
 * and inserts one audit log entry: always, or only if any were revoked. Returns how many were revoked;
 * undefined if the actor has lost its right. The caller must have locked the tokens.
 */
export async function cancelQueuedMails(
  tx: DatabaseTransaction,
  actor: Actor,
  { tokenIds, isAlwaysRecorded, ...mails }: QueuedMails & { tokenIds: number[]; isAlwaysRecorded: boolean },
): Promise<number | undefined> {
  const { rows } = await sql<{ cancelled: number; contributor_keys: Buffer[] }>`
    with allowed as materialized (
      select ${mails.communityId}::text as community_id where ${mayStillWrite(actor, sql`${mails.communityId}::text`)}
    ), found as materialized (
      select i.invitation_id from allowed cross join invitations i
      ${CLAIM_OF_INVITATION}
      where ${isQueued(mails)} and i.token_id = any(${tokenIds}::bigint[]) and m.address is null and e.address is null
    ), cancelled as (
      update invitations i set
        revoked_at = now(), code = null, next_attempt_at = null, erase_at = now() + interval ${ADDRESS_KEPT_FOR}
      from found f where i.invitation_id = f.invitation_id
      returning i.claim_link_id
    ), links as (
      update claim_links l set revoked_at = coalesce(revoked_at, statement_timestamp())
      from cancelled c where c.claim_link_id in (l.claim_link_id, l.further_of)
      returning l.token_id, l.contributor_key, coalesce(l.identifier, l.further_of::text) as identifier
    ), entries as (
      delete from allowlist_entries a using links l
      where l.identifier is null and a.token_id = l.token_id and a.contributor_key = l.contributor_key
    ), written as (
      select community_id from allowed where ${isAlwaysRecorded}::boolean or exists (select from cancelled)
    ), recorded as ${insertAuditEntries(actor, 'cancelMails')}
    select (select count(*) from cancelled) as cancelled, array(
      select contributor_key from links where identifier is null
    ) as contributor_keys
    from allowed`.execute(tx);
  const [found] = rows;
  if (found !== undefined) {
    await removeRecipients(tx, { tokenIds, contributorKeys: found.contributor_keys });
  }
  return found?.cancelled;
}

/**
 * Makes the actor the one who has queued the invitations, so that they do not end with the right of who did.
 */
export async function adoptQueuedMails(
  tx: DatabaseTransaction,
  { session, apiKeyId }: Actor,
  mails: QueuedMails,
): Promise<void> {
  await sql`
    update invitations i set created_by = ${session?.address ?? null}::bytea, created_by_key = ${apiKeyId}::uuid
    where ${isQueued(mails)}`.execute(tx);
}

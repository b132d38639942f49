import type { AuditEntry, Role } from '@badge/protocol';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { Database } from './database.ts';
import { hiddenFromPlanner, isFarFromStart, readWithTimeout } from './long-lists.ts';
import type { Tables } from './schema.ts';

/** Who makes a change. */
export interface Actor {
  kind: AuditEntry['actor'];
  /** Null unless a community's key is used. */
  apiKeyId: string | null;
  /** The session, if one is used. Its id is null if what it does needs no role. */
  session?: { sessionId: string | null; address: Address };
  /**
   * The role that the key or the member must have when the change is written. Without it, a key may write
   * nothing.
   */
  neededRole?: Role;
}

/**
 * The actions that are not operations. `column` is the column of `written` that contains the id of the
 * resource.
 */
const ACTIONS = {
  updateToken: { resourceType: 'token', column: 'token_id' },
  createNftType: { resourceType: 'nftType', column: 'nft_type_id' },
  deleteNftType: { resourceType: 'nftType', column: 'nft_type_id' },
  createCommunity: { resourceType: 'community', column: 'community_id' },
  updateCommunity: { resourceType: 'community', column: 'community_id' },
  createApiKey: { resourceType: 'apiKey', column: 'api_key_id' },
  revokeApiKey: { resourceType: 'apiKey', column: 'api_key_id' },
  keepApiKey: { resourceType: 'apiKey', column: 'api_key_id' },
  createClaimLinks: { resourceType: 'token', column: 'token_id' },
  revokeClaimLink: { resourceType: 'claimLink', column: 'claim_link_id' },
  updateClaimLink: { resourceType: 'claimLink', column: 'claim_link_id' },
  createInvitations: { resourceType: 'token', column: 'token_id' },
  resendInvitation: { resourceType: 'invitation', column: 'invitation_id' },
  updateInvitation: { resourceType: 'invitation', column: 'invitation_id' },
  revokeInvitation: { resourceType: 'invitation', column: 'invitation_id' },
  createReminders: { resourceType: 'token', column: 'token_id' },
  cancelMails: { resourceType: 'community', column: 'community_id' },
  confirmReservation: { resourceType: 'claimLink', column: 'claim_link_id' },
  setRecipients: { resourceType: 'token', column: 'token_id' },
  updateRecipient: { resourceType: 'recipient', column: 'recipient_id' },
  setMember: { resourceType: 'member', column: 'checksum_address' },
  removeMember: { resourceType: 'member', column: 'checksum_address' },
  signBadge: { resourceType: 'community', column: 'community_id' },
  signAllowlistedAddress: { resourceType: 'token', column: 'token_id' },
  rotateIssuerKey: { resourceType: 'community', column: 'community_id' },
  createWebhook: { resourceType: 'webhook', column: 'webhook_id' },
  updateWebhook: { resourceType: 'webhook', column: 'webhook_id' },
  deleteWebhook: { resourceType: 'webhook', column: 'webhook_id' },
  rotateWebhookSecret: { resourceType: 'webhook', column: 'webhook_id' },
  testWebhook: { resourceType: 'webhook', column: 'webhook_id' },
  redeliverWebhook: { resourceType: 'webhook', column: 'webhook_id' },
  disableWebhook: { resourceType: 'webhook', column: 'webhook_id' },
  import: { resourceType: 'community', column: 'community_id' },
} satisfies Partial<
  Record<AuditEntry['action'], { resourceType: AuditEntry['resourceType']; column: string }>
>;

/**
 * Returns the SQL of a CTE that inserts an audit entry for each row of the CTE `written`, or of another one.
 * A statement that changes rows returns them as this CTE and adds this CTE, so the change and its entries are
 * stored together.
 */
export function insertAuditEntries(
  actor: Actor,
  action: keyof typeof ACTIONS,
  written = 'written',
): RawBuilder<object> {
  const { resourceType, column } = ACTIONS[action];
  return sql`(
    insert into audit_log (actor, api_key_id, address, action, community_id, resource_type, resource_id)
    select ${actor.kind}, ${actor.apiKeyId}::uuid, ${actor.session?.address ?? null}::bytea, ${action}, community_id,
           ${resourceType}, ${sql.ref(column)}::text
    from ${sql.ref(written)}
  )`;
}

export type AuditEntryRow = Selectable<Tables['audit_log']>;

interface AuditLogPage {
  limit: number;
  offset: number;
  communityId?: string | undefined;
  apiKeyId?: string | undefined;
  action?: AuditEntry['action'] | undefined;
  /** The earliest time, inclusive. */
  from?: Date | undefined;
  /** The latest time, exclusive. */
  before?: Date | undefined;
}

/**
 * Returns a page of the entries that match every given filter, newest first. A page at a large offset, or
 * with two or more of `communityId`, `apiKeyId` and `action`, fails with a statement timeout if it takes
 * longer than 1 second.
 */
export async function listAuditLog(db: Database, page: AuditLogPage): Promise<AuditEntryRow[]> {
  const { communityId, apiKeyId, action, from, before } = page;
  const filters = [communityId, apiKeyId, action].filter((value) => value !== undefined);
  return await readWithTimeout(db, isFarFromStart(page) || filters.length > 1, (tx) =>
    tx
      .selectFrom((query) =>
        // Selects only columns of the indexes. So with at most one of `communityId`, `apiKeyId` and `action`,
        // the rows of the entries before the page are not read.
        query
          .selectFrom('audit_log')
          .select(['recorded_at', 'audit_entry_id'])
          .where((eb) =>
            eb.and([
              ...(communityId === undefined ? [] : [eb('community_id', '=', communityId)]),
              ...(apiKeyId === undefined ? [] : [eb('api_key_id', '=', apiKeyId)]),
              ...(action === undefined ? [] : [eb('action', '=', action)]),
              ...(from === undefined ? [] : [eb('recorded_at', '>=', from)]),
              ...(before === undefined ? [] : [eb('recorded_at', '<', before)]),
            ]),
          )
          .orderBy('recorded_at', 'desc')
          .orderBy('audit_entry_id', 'desc')
          .limit(hiddenFromPlanner(page.limit))
          .offset(hiddenFromPlanner(page.offset))
          .as('listed'),
      )
      // The limit makes PostgreSQL look the entries up one by one.
      .innerJoinLateral(
        (query) =>
          query
            .selectFrom('audit_log')
            .selectAll()
            .whereRef('audit_log.recorded_at', '=', 'listed.recorded_at')
            .whereRef('audit_log.audit_entry_id', '=', 'listed.audit_entry_id')
            .limit(1)
            .as('entry'),
        (join) => join.onTrue(),
      )
      .selectAll('entry')
      .orderBy('entry.recorded_at', 'desc')
      .orderBy('entry.audit_entry_id', 'desc')
      .execute(),
  );
}

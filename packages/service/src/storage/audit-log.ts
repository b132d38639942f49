import type { AuditEntry } from '@badge/protocol';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database } from './database.ts';
import type { Tables } from './schema.ts';

/** Who made a change. `apiKeyId` is null unless a community's key was used. */
export interface Actor {
  kind: AuditEntry['actor'];
  apiKeyId: string | null;
}

/** The actions that are done at once, without an operation. `column` contains the id of the changed resource. */
const ACTIONS = {
  updateToken: { resourceType: 'token', column: 'token_id' },
  createNftType: { resourceType: 'nftType', column: 'nft_type_id' },
  deleteNftType: { resourceType: 'nftType', column: 'nft_type_id' },
  createCommunity: { resourceType: 'community', column: 'community_id' },
  updateCommunity: { resourceType: 'community', column: 'community_id' },
  createApiKey: { resourceType: 'apiKey', column: 'api_key_id' },
  revokeApiKey: { resourceType: 'apiKey', column: 'api_key_id' },
} satisfies Partial<
  Record<AuditEntry['action'], { resourceType: AuditEntry['resourceType']; column: string }>
>;

/**
 * Returns a CTE for the statement that writes a change. It adds an entry to the audit log for each row of the CTE
 * `written`, which must return the changed rows.
 */
export function recordWritten(actor: Actor, action: keyof typeof ACTIONS): RawBuilder<object> {
  const { resourceType, column } = ACTIONS[action];
  return sql`(
    insert into audit_log (actor, api_key_id, action, community_id, resource_type, resource_id)
    select ${actor.kind}, ${actor.apiKeyId}::uuid, ${action}, community_id, ${resourceType}, ${sql.ref(column)}::text
    from written
  )`;
}

export type AuditEntryRow = Selectable<Tables['audit_log']>;

/** A page of the entries that match every given filter, newest first. */
export async function listAuditLog(
  db: Database,
  page: {
    limit: number;
    offset: number;
    communityId: string | undefined;
    apiKeyId: string | undefined;
    action: AuditEntry['action'] | undefined;
    from: Date | undefined;
    before: Date | undefined;
  },
): Promise<AuditEntryRow[]> {
  const { communityId, apiKeyId, action, from, before } = page;
  return await db
    .selectFrom('audit_log')
    .selectAll()
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
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

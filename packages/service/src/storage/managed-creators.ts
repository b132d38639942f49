import { sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { Database } from './database.ts';
import { mayStillWrite } from './rights.ts';

/**
 * Records that the managed creator of a community signs a `Badge`, or the `AllowlistedAddress` of a token.
 * Returns false, and records nothing, if `address` is not the managed creator of the community any more, or
 * if the actor has lost its right.
 */
export async function recordManagedSignature(
  db: Database,
  actor: Actor,
  { communityId, address, tokenId }: { communityId: string; address: Address; tokenId: number | null },
): Promise<boolean> {
  const action = tokenId === null ? 'signBadge' : 'signAllowlistedAddress';
  const { rows } = await sql`
    with written as (
      select community_id, ${tokenId}::bigint as token_id from communities
      where community_id = ${communityId} and managed_creator = ${address}
        and ${mayStillWrite(actor, sql.ref('community_id'))}
    ), recorded as ${insertAuditEntries(actor, action)}
    select from written`.execute(db);
  return rows.length > 0;
}

/** The communities that have a managed creator, and its address, in the order of their ids. */
export async function listManagedCreators(
  db: Database,
): Promise<{ communityId: string; address: Address }[]> {
  const { rows } = await sql<{ communityId: string; address: Address }>`
    select community_id as "communityId", managed_creator as address from communities
    where managed_creator is not null order by community_id`.execute(db);
  return rows;
}

import { sql } from 'kysely';
import type { Database } from '../storage/database.ts';

/** A token to insert, and its relation to the address that is passed to `insertBulkTokens`. */
export interface BulkToken {
  tokenId: number;
  communityId: string;
  isHidden: boolean;
  /** Whether the allowlist of the token contains the address. */
  isListed: boolean;
  /** Whether the address has no claim, holds the token, or has burnt it. */
  claim: 'none' | 'held' | 'burnt';
}

/** Inserts the communities `a` and `b`. */
export async function insertTwoCommunities(db: Database): Promise<void> {
  await sql`
    insert into communities (community_id, display_id, name, description)
    values ('a', '', '', ''), ('b', '', '', '')`.execute(db);
}

/**
 * Inserts tokens by SQL, and the allowlist entries and claims of one address. The entry and the claim of a
 * token with a higher id are older, so that an order by time differs from the order by id.
 */
export async function insertBulkTokens(db: Database, address: Buffer, tokens: BulkToken[]): Promise<void> {
  await sql`
    with token as materialized (
      select *, gen_random_uuid() as creation_id, gen_random_uuid() as claim_id, gen_random_uuid() as burn_id
      from jsonb_to_recordset(${JSON.stringify(tokens)}::jsonb) as t (
        "tokenId" bigint, "communityId" text, "isHidden" boolean, "isListed" boolean, claim text
      )
    ), operation as (
      insert into operations (operation_id, operation_type, community_id, request_bytes)
      select creation_id, 'createToken', "communityId", 0 from token
      union all
      select claim_id, 'claim', "communityId", 0 from token where claim <> 'none'
      union all
      select burn_id, 'burn', "communityId", 0 from token where claim = 'burnt'
    ), inserted as (
      insert into tokens (
        token_id, operation_id, community_id, creator, headline, description, links, nft_type_id,
        is_signature_required, is_allowlist_required, custom_attributes, signature, created_at, is_hidden
      )
      select "tokenId", creation_id, "communityId", decode(repeat('00', 20), 'hex'), 'Speaker', '', '[]', '',
             false, true, '[]', '', now(), "isHidden"
      from token
    ), entry as (
      insert into allowlist_entries (token_id, contributor_key, position, added_at)
      select "tokenId", ${address}, 1, now() - "tokenId" * interval '2 seconds' from token where "isListed"
    )
    insert into claims (token_id, address, operation_id, claimed_at, burnt_at, burn_operation_id)
    select "tokenId", ${address}, claim_id, now() - "tokenId" * interval '3 seconds',
           case when claim = 'burnt' then now() end, case when claim = 'burnt' then burn_id end
    from token where claim <> 'none'`.execute(db);
}

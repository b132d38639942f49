import { LIMITS } from '@badge/protocol';
import { type RawBuilder, sql } from 'kysely';

/**
 * SQL: the bytes that count in the community's storage quota, which are those of its assets and of its claim
 * links.
 */
export function storedBytesOf(communityId: string): RawBuilder<number> {
  return sql<number>`((
    select coalesce(sum(size_bytes), 0)::bigint from nft_types join assets using (asset_id)
    where community_id = ${communityId}
  ) + (
    select claim_link_count * ${sql.lit(LIMITS.claimLinkBytes)} from communities where community_id = ${communityId}
  ))`;
}

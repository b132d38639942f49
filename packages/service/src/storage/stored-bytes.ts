import { LIMITS } from '@badge/protocol';
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseTransaction } from './database.ts';

/** SQL: the bytes that count in the community's storage quota, which are those of its assets and of its claim links. */
export function storedBytesOf(communityId: string): RawBuilder<number> {
  return sql<number>`((
    select coalesce(sum(size_bytes), 0)::bigint from nft_types join assets using (asset_id)
    where community_id = ${communityId}
  ) + (
    select claim_link_count * ${sql.lit(LIMITS.claimLinkBytes)} from communities where community_id = ${communityId}
  ))`;
}

/** Locks the community's row, so that transactions that store files or links wait for each other. Inserting tokens does not wait. */
export async function lockCommunityForStorage(tx: DatabaseTransaction, communityId: string): Promise<void> {
  await tx
    .selectFrom('communities')
    .select('community_id')
    .where('community_id', '=', communityId)
    .forNoKeyUpdate()
    .execute();
}

import { sql } from 'kysely';
import type { Database } from './database.ts';

export interface WalletTokenRow {
  token_id: number;
  headline: string;
  asset_content_type: string | null;
  community_id: string;
  claim_status: 'claimed' | 'unclaimed';
  created_at: Date;
}

/**
 * The tokens that an address holds, or may still claim because an allowlist names it; newest token first.
 * A burnt token is neither: it was claimed, and cannot be again.
 */
export async function listWalletTokens(
  db: Database,
  page: {
    address: Uint8Array;
    claimStatus: 'claimed' | 'unclaimed' | undefined;
    communityId: string | undefined;
    limit: number;
    offset: number;
  },
): Promise<WalletTokenRow[]> {
  const address = Buffer.from(page.address);
  const communityId = page.communityId ?? null;
  const claimStatus = page.claimStatus ?? null;
  const { rows } = await sql<WalletTokenRow>`
    select t.token_id, t.headline, t.asset_content_type, t.community_id, w.claim_status, w.created_at
    from (
      select token_id, 'claimed' as claim_status, claimed_at as created_at
      from claims where address = ${address} and burnt_at is null
      union all
      select token_id, 'unclaimed', added_at
      from allowlist_entries a
      where contributor_key = ${address} and octet_length(contributor_key) = 20
        and not exists (select from claims c where c.token_id = a.token_id and c.address = ${address})
    ) w
    join tokens t using (token_id)
    where (${claimStatus}::text is null or w.claim_status = ${claimStatus})
      and (${communityId}::text is null or t.community_id = ${communityId})
    order by t.token_id desc limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

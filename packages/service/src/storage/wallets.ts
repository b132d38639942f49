import { sql } from 'kysely';
import type { Database } from './database.ts';

export interface WalletTokenRow {
  token_id: number;
  headline: string;
  nft_type_id: string;
  community_id: string;
  listed_at: Date;
}

/** The tokens whose allowlist names the address, newest token first. */
export async function listAllowlistedTokens(
  db: Database,
  page: { address: Uint8Array; communityId: string | undefined; limit: number; offset: number },
): Promise<WalletTokenRow[]> {
  const communityId = page.communityId ?? null;
  const { rows } = await sql<WalletTokenRow>`
    select t.token_id, t.headline, t.nft_type_id, t.community_id, a.added_at as listed_at
    from allowlist_entries a join tokens t using (token_id)
    where a.contributor_key = ${Buffer.from(page.address)} and octet_length(a.contributor_key) = 20
      and (${communityId}::text is null or t.community_id = ${communityId})
    order by a.token_id desc limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

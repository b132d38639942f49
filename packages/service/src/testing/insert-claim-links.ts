import { query } from '@badge/test-support/sql';

/**
 * Inserts unused claim links of a token without checks of foreign keys, which would take most of the time.
 */
export async function insertClaimLinks(databaseUrl: string, tokenId: number, count: number): Promise<void> {
  await query(
    databaseUrl,
    `begin;
     set local session_replication_role = replica;
     insert into claim_links (claim_link_id, token_id, contributor_key, code_hash)
     select lpad(to_hex(n), 32, '0')::uuid, ${tokenId}, sha256(n::text::bytea), decode(lpad(to_hex(n), 64, '0'), 'hex')
     from generate_series(1, ${count}) as n;
     commit`,
  );
}

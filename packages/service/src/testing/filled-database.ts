import { createDatabase } from '@badge/test-support/databases';
import { sql } from 'kysely';
import { openDatabase } from '../storage/database.ts';
import { insertBulkTokens, insertTwoCommunities } from './bulk-tokens.ts';

export const API_KEY_ID = '00000000-0000-4000-8000-000000000000';

/**
 * Creates a database with a token that has `total` contributors and half as many claims, a tenth of these
 * burnt. It has `total` claim links: those of contributors that are identifiers, and revoked ones. It also
 * has `total` audit entries.
 */
export async function createFilledDatabase(total: number): Promise<string> {
  const url = await createDatabase();
  const db = openDatabase({ connectionString: url }, () => undefined);
  for (const table of ['claims', 'allowlist_entries', 'claim_links', 'audit_log']) {
    await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(db);
  }
  await insertTwoCommunities(db);
  await insertBulkTokens(db, Buffer.alloc(20), [
    { tokenId: 1, communityId: 'a', isHidden: false, isListed: false, claim: 'none' },
  ]);
  // Every second contributor has claimed. Every third is an identifier; its claim, if any, is by an address.
  await sql`
    insert into allowlist_entries (token_id, contributor_key, identifier, position, added_at)
    select 1, case when i % 3 = 0 then sha256(i::text::bytea) else substring(sha256(i::text::bytea) for 20) end,
           case when i % 3 = 0 then i::text end, i * 2, now()
    from generate_series(1, ${total}::integer) i`.execute(db);
  await sql`
    with operation as (
      insert into operations (operation_id, operation_type, community_id, request_bytes)
      select md5(kind || i)::uuid, kind, 'a', 0
      from generate_series(1, ${total}::integer) i, unnest(array['claim', 'burn']) as kind
      where i % 2 = 0 and (kind = 'claim' or i % 20 = 0)
    )
    insert into claims (
      token_id, address, contributor_key, operation_id, claimed_at, burnt_at, burn_operation_id
    )
    select 1, substring(sha256(i::text::bytea) for 20), case when i % 3 = 0 then sha256(i::text::bytea) end,
           md5('claim' || i)::uuid, timestamptz '2026-01-01' + i / 7 * interval '1 second',
           case when i % 20 = 0 then now() end, case when i % 20 = 0 then md5('burn' || i)::uuid end
    from generate_series(1, ${total}::integer) i where i % 2 = 0`.execute(db);
  // Every seventh link has expired.
  await sql`
    insert into claim_links (claim_link_id, token_id, contributor_key, code_hash, created_at, expires_at, revoked_at)
    select md5('link' || i)::uuid, 1, sha256(i::text::bytea), sha256(('code' || i)::bytea), now(),
           case when i % 7 = 0 then now() end, case when i % 3 <> 0 then now() end
    from generate_series(1, ${total}::integer) i order by i`.execute(db);
  // The newest half belongs to community a.
  await sql`
    insert into audit_log (recorded_at, actor, api_key_id, action, community_id, resource_type, resource_id)
    select timestamptz '2026-01-01' + i / 5 * interval '1 second',
           case when i % 10 = 0 then 'apiKey' else 'operator' end, case when i % 10 = 0 then ${API_KEY_ID}::uuid end,
           case when i < 100 then 'updateToken' else 'createToken' end,
           case when i < ${total}::integer / 2 then 'b' else 'a' end, 'operation', i::text
    from generate_series(1, ${total}::integer) i`.execute(db);
  await db.destroy();
  return url;
}

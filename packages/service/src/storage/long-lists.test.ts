import { createHash } from 'node:crypto';
import { createDatabase } from '@badge/test-support/databases';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { insertBulkTokens, insertTwoCommunities } from '../testing/bulk-tokens.ts';
import { openExplaining, pagesRead } from '../testing/explaining-database.ts';
import { listAuditLog } from './audit-log.ts';
import { listClaimLinks } from './claim-links.ts';
import { listContributors, listOwners } from './claims.ts';
import { type Database, openDatabase } from './database.ts';
import { findLoggedObjects } from './logged-objects.ts';

// Owners, contributors, claim links and the audit log; wallet-listings.slow.test.ts tests wallets.

const API_KEY_ID = '00000000-0000-4000-8000-000000000000';
const FIRST_PAGE = { limit: 50, offset: 0 };

/**
 * Creates a database with a token that has `total` contributors and half as many claims, a tenth of these burnt. It has
 * `total` claim links: those of contributors that are identifiers, and revoked ones. It also has `total` audit entries.
 */
async function createFilledDatabase(total: number): Promise<string> {
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

test('pages of owners, contributors, claim links and the audit log equal those of a simple query', async () => {
  const db = openDatabase({ connectionString: await createFilledDatabase(300) }, () => undefined);
  const rowsOf = async (query: ReturnType<typeof sql>) => (await query.execute(db)).rows;
  const anyTime = fc.option(
    fc.integer({ min: -1, max: 61 }).map((seconds) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds))),
    { nil: undefined },
  );
  const anyPage = fc.record({
    limit: fc.constantFrom(0, 1, 7, 1000),
    offset: fc.oneof(fc.nat(320), fc.constant(Number.MAX_SAFE_INTEGER)),
  });
  const anyFilter = fc.record({
    communityId: fc.constantFrom(undefined, 'a', 'b'),
    apiKeyId: fc.constantFrom(undefined, API_KEY_ID),
    action: fc.constantFrom(undefined, 'createToken' as const, 'updateToken' as const),
    from: anyTime,
    before: anyTime,
  });
  const anyStatus = fc.constantFrom(undefined, ...(['unused', 'used', 'revoked', 'expired'] as const));
  await fc.assert(
    fc.asyncProperty(anyPage, anyFilter, anyStatus, async (page, filter, status) => {
      const { limit, offset } = page;
      expect(await listOwners(db, 1, page)).toEqual(
        await rowsOf(sql`
          select address, claimed_at from claims where token_id = 1 and burnt_at is null
          order by claimed_at, address limit ${limit} offset ${offset}`),
      );
      expect(await listContributors(db, 1, page)).toEqual(
        await rowsOf(sql`
          select contributor_key, identifier, ens_name, position, exists (
            select from claims c where c.token_id = a.token_id
            and (c.address = a.contributor_key or c.contributor_key = a.contributor_key)
          ) as has_claimed, m.address as claiming_address
          from allowlist_entries a left join claims m using (token_id, contributor_key) where token_id = 1
          order by position, contributor_key limit ${limit} offset ${offset}`),
      );
      expect(await listClaimLinks(db, 1, { ...page, status })).toEqual(
        await rowsOf(sql`
          with links as (
            select l.*, c.address, c.claimed_at,
              case when revoked_at is not null then 'revoked' when c.address is not null then 'used'
                   when expires_at <= now() then 'expired' else 'unused' end as status
            from claim_links l left join claims c using (token_id, contributor_key)
          )
          select claim_link_id, contributor_key, identifier, status, address, claimed_at, created_at, expires_at,
            max_claims, claim_count, starts_at, paused_at, sequence
          from links
          where token_id = 1 and coalesce(status = ${status ?? null}, true)
          order by sequence limit ${limit} offset ${offset}`),
      );
      expect(await listAuditLog(db, { ...page, ...filter })).toEqual(
        await rowsOf(sql`
          select * from audit_log
          where coalesce(community_id = ${filter.communityId ?? null}, true)
            and (${filter.apiKeyId ?? null}::uuid is null or api_key_id = ${filter.apiKeyId ?? null}::uuid)
            and coalesce(action = ${filter.action ?? null}, true)
            and coalesce(recorded_at >= ${filter.from ?? null}, true)
            and coalesce(recorded_at < ${filter.before ?? null}, true)
          order by recorded_at desc, audit_entry_id desc limit ${limit} offset ${offset}`),
      );
    }),
    { numRuns: 60 },
  );
  expect(await listOwners(db, 2, FIRST_PAGE)).toEqual([]);
  expect(await listContributors(db, 2, FIRST_PAGE)).toEqual([]);
  expect(await listClaimLinks(db, 2, { ...FIRST_PAGE, status: undefined })).toEqual([]);
  await db.destroy();
});

test.each(['no statistics', 'statistics'])(
  'a page near the start of 20,000 entries costs less than twice as much as one of 2,000, with %s',
  { tags: ['slow'], timeout: 60_000 },
  async (statistics) => {
    const readCosts = async (total: number): Promise<number[]> => {
      const url = await createFilledDatabase(total);
      const explaining = openExplaining(url);
      if (statistics === 'statistics') await sql`analyze`.execute(explaining);
      const costs = await countPagesRead(explaining);
      await explaining.destroy();
      return costs;
    };
    const small = await readCosts(2_000);
    const large = await readCosts(20_000);
    // A cost below 50 pages of the database counts as 50: a few pages more or less do not matter.
    const ratios = large.map((cost, index) => cost / Math.max(50, small[index] ?? 0));
    expect(Math.max(...ratios)).toBeLessThan(2);
  },
);

/** Returns how many pages of the database each list reads. `db` returns the plan of a statement instead of its rows. */
async function countPagesRead(db: Database): Promise<number[]> {
  const plans: object[][] = [];
  for (const offset of [0, 700]) {
    const page = { limit: 50, offset };
    // For filters that match some entries, but fewer than 700 of 2,000.
    const smallOffset = offset / 10;
    plans.push(
      await listOwners(db, 1, page),
      await listContributors(db, 1, page),
      await listClaimLinks(db, 1, { ...page, status: undefined }),
      await listClaimLinks(db, 1, { ...page, offset: smallOffset, status: 'used' }),
      await listClaimLinks(db, 1, { ...page, offset: smallOffset, status: 'unused' }),
      await listAuditLog(db, page),
      await listAuditLog(db, { ...page, communityId: 'b' }),
      await listAuditLog(db, { ...page, action: 'updateToken' }),
      await listAuditLog(db, { ...page, action: 'revokeApiKey' }),
      await listAuditLog(db, { ...page, offset: smallOffset, apiKeyId: API_KEY_ID }),
    );
  }
  plans.push(
    await findLoggedObjects(db, {
      operationIds: listIds('claim'),
      tokenIds: [1],
      claimLinkIds: listIds('link'),
      invitationIds: listIds('link'),
      apiKeyIds: [API_KEY_ID],
      webhookIds: [API_KEY_ID],
      nftTypes: [{ communityId: 'a', nftTypeId: API_KEY_ID }],
      communityIds: ['a', 'b'],
    }),
  );
  return plans.map(pagesRead);
}

/** 25 of the ids that `createFilledDatabase` has made. */
function listIds(kind: 'claim' | 'link'): string[] {
  return Array.from({ length: 25 }, (_, index) => {
    const digits = createHash('md5')
      .update(`${kind}${(index + 1) * 2}`)
      .digest('hex');
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  });
}

import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { API_KEY_ID, createFilledDatabase } from '../testing/filled-database.ts';
import { listAuditLog } from './audit-log.ts';
import { listClaimLinks } from './claim-links.ts';
import { listContributors } from './claims.ts';
import { openDatabase } from './database.ts';
import { listHolders, listOwners } from './ownership.ts';

// Owners, contributors, claim links and the audit log; wallet-listings.slow.test.ts tests wallets.

const FIRST_PAGE = { limit: 50, offset: 0 };

test('pages of owners, contributors, claim links and the audit log equal those of a simple query', async () => {
  const db = openDatabase({ connectionString: await createFilledDatabase(300) }, () => undefined);
  const rowsOf = async (query: ReturnType<typeof sql>) => (await query.execute(db)).rows;
  // A third has ended, and a third will.
  await sql`
    update claims set renewed_until = case get_byte(address, 19) % 3
      when 0 then timestamptz '2026-01-02' when 1 then timestamptz '2999-01-01' end`.execute(db);
  // A quarter is kept.
  await sql`
    insert into kept_addresses (address, community_id, email_hash)
    select distinct c.address, t.community_id, sha256(c.address) from claims c join tokens t using (token_id)
    where get_byte(c.address, 19) % 4 = 0`.execute(db);
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
  const anyOwner = fc.record({
    status: fc.constantFrom(...(['held', 'expired', 'burnt', 'revoked', 'all'] as const)),
    search: fc.constantFrom('', '0x0', '7', '7f'),
  });
  await fc.assert(
    fc.asyncProperty(anyPage, anyFilter, anyStatus, anyOwner, async (page, filter, status, owners) => {
      const { limit, offset } = page;
      const ownersOf = (wanted: { status: string; search: string }) =>
        rowsOf(sql`
          select owners.*, address in (select address from kept_addresses) as is_kept from (
            select address, claimed_at, moved_from, renewed_until as valid_until,
              case when burnt_at is not null then coalesce(ending, 'burnt')
                when renewed_until <= now() then 'expired' else 'held' end as status,
              coalesce(
                burnt_at, case when renewed_until <= now() then renewed_until end, status_changed_at, claimed_at
              ) as status_changed_at
            from claims where token_id = 1
          ) owners
          where ${wanted.status} in (status, 'all') and '0x' || encode(address, 'hex') like ${`%${wanted.search}%`}
          order by claimed_at, address limit ${limit} offset ${offset}`);
      expect(await listHolders(db, 1, page)).toEqual(await ownersOf({ status: 'held', search: '' }));
      expect(await listOwners(db, { tokenId: 1, ...page, ...owners })).toEqual(await ownersOf(owners));
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
  expect(await listHolders(db, 2, FIRST_PAGE)).toEqual([]);
  expect(await listContributors(db, 2, FIRST_PAGE)).toEqual([]);
  expect(await listClaimLinks(db, 2, { ...FIRST_PAGE, status: undefined })).toEqual([]);
  await db.destroy();
});

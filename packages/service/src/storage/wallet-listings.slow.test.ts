import { randomBytes } from 'node:crypto';
import { createDatabase } from '@badge/test-support/databases';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Address, toAddress } from '../signatures/address.ts';
import { type BulkToken, insertBulkTokens, insertTwoCommunities } from '../testing/bulk-tokens.ts';
import { openExplaining, pagesRead } from '../testing/explaining-database.ts';
import { type Database, openDatabase } from './database.ts';
import { findWalletTokens, listWalletTokenIds, listWalletTokens } from './wallet-listings.ts';

type Page = Parameters<typeof listWalletTokens>[1];

const ADDRESS = toAddress(randomBytes(20));
let db: Database;

beforeAll(async () => {
  db = openDatabase({ connectionString: await createDatabase() }, () => undefined);
  await insertTwoCommunities(db);
});
afterAll(() => db.destroy());

/** Returns the expected page, by a query that reads the whole wallet. */
async function listExpected({ address, claimStatus, communityId, limit, offset }: Page): Promise<object[]> {
  const { rows } = await sql<object>`
    select t.token_id, t.headline, t.asset_content_type, t.community_id, w.claim_status, w.created_at,
      null::timestamptz as valid_until, false as is_expired, false as is_hidden, ${address}::bytea as address
    from (
      select token_id, 'claimed' as claim_status, claimed_at as created_at
      from claims where address = ${address} and burnt_at is null
      union all
      select token_id, 'unclaimed', added_at from allowlist_entries a
      where contributor_key = ${address}
        and not exists (select from claims c where c.token_id = a.token_id and c.address = ${address})
    ) w
    join tokens t using (token_id)
    where (${claimStatus ?? null}::text is null or w.claim_status = ${claimStatus ?? null})
      and (${communityId ?? null}::text is null or t.community_id = ${communityId ?? null})
    order by t.token_id desc limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

// Runs of tokens, longer and shorter than what is read at once.
const anyRuns = fc.array(
  fc.record({
    tokens: fc.oneof(fc.constantFrom(19, 20, 21, 450), fc.integer({ min: 1, max: 20 })),
    gap: fc.constantFrom(0, 0, 1000),
    states: fc.array(
      fc.record<Omit<BulkToken, 'tokenId'>>({
        communityId: fc.constantFrom('a', 'b'),
        isHidden: fc.boolean(),
        isListed: fc.boolean(),
        claim: fc.constantFrom('none', 'none', 'held', 'burnt'),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  { minLength: 1, maxLength: 6 },
);

function toTokens(runs: typeof anyRuns extends fc.Arbitrary<infer Runs> ? Runs : never): BulkToken[] {
  let lastId = 0;
  return runs.flatMap(({ tokens, gap, states }) => {
    lastId += gap;
    return Array.from({ length: tokens }, (_, index) => {
      lastId += 1;
      return { tokenId: lastId, ...states[index % states.length] } as BulkToken;
    });
  });
}

const anyPage = fc.record<Page>({
  address: fc.constantFrom(ADDRESS, ADDRESS, ADDRESS, toAddress(randomBytes(20))),
  claimStatus: fc.constantFrom(undefined, 'claimed', 'unclaimed'),
  communityId: fc.constantFrom(undefined, 'a', 'b', 'unknown'),
  limit: fc.constantFrom(0, 1, 50, 1000),
  offset: fc.oneof(fc.nat(20), fc.nat(1500), fc.constant(Number.MAX_SAFE_INTEGER)),
});

test('every page equals that of a query that reads the whole wallet', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc
      .asyncProperty(
        anyRuns,
        fc.array(anyPage, { minLength: 12, maxLength: 12 }),
        fc.boolean(),
        async (runs, pages, isAnalyzed) => {
          await insertBulkTokens(db, ADDRESS, toTokens(runs));
          if (isAnalyzed) await sql`analyze`.execute(db);
          for (const page of pages) {
            const expected = await listExpected(page);
            expect(await listWalletTokens(db, page)).toEqual(expected);
            const ids = await listWalletTokenIds(db, page);
            expect(await findWalletTokens(db, page.address, ids)).toEqual(expected);
          }
        },
      )
      .beforeEach(async () => {
        await sql`truncate tokens, claims, hidden_tokens, allowlist_entries, token_list_entries, token_list_blocks, token_counts`.execute(
          db,
        );
      }),
    { numRuns: 15 },
  );
});

test.each([
  ['no statistics', false],
  ['statistics of the time when the wallets were small', true],
])(
  'a page near the start of 12,000 tokens costs at most twice as much as one of 2,000, with %s',
  { timeout: 120_000 },
  async (_name, isAnalyzed) => {
    const small = await readCosts(2_000, isAnalyzed);
    const large = await readCosts(12_000, isAnalyzed);
    // A cost below 50 pages of the database counts as 50: a few of them more or less do not matter.
    const ratios = large.map(([name, cost], index) => [name, cost / Math.max(50, small[index]?.[1] ?? 0)]);
    expect(ratios.filter(([, ratio]) => Number(ratio) > 2)).toEqual([]);
  },
);

/**
 * Returns how many pages of the database the lists of three wallets read, if each wallet has `total` tokens.
 */
async function readCosts(total: number, isAnalyzed: boolean): Promise<[name: string, cost: number][]> {
  const url = await createDatabase();
  const filled = openDatabase({ connectionString: url }, () => undefined);
  await insertTwoCommunities(filled);
  for (const table of ['tokens', 'claims', 'allowlist_entries', 'token_list_entries']) {
    await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(filled);
  }
  // The first wallet is on the allowlists of its tokens. The second one also holds its tokens. The third one
  // has burnt them.
  const [listed, held, burnt] = [0x40, 0x80, 0xc0].map((byte) => toAddress(Buffer.alloc(20, byte)));
  const insert = async (
    address: Address | undefined,
    from: number,
    to: number,
    fields: Partial<BulkToken>,
  ) => {
    const tokens = Array.from({ length: to - from }, (_, index) => ({
      tokenId: from + index,
      communityId: 'a',
      isHidden: false,
      isListed: true,
      claim: 'none' as const,
      ...fields,
    }));
    for (let start = 0; start < tokens.length; start += 2_000) {
      await insertBulkTokens(filled, address ?? Buffer.alloc(20), tokens.slice(start, start + 2_000));
    }
  };
  // Other wallets, and the few tokens of community `b`.
  for (let index = 0; index < 100; index += 1) {
    await insert(toAddress(randomBytes(20)), index * 10 + 1, index * 10 + 11, {
      claim: index % 2 === 0 ? 'held' : 'none',
    });
  }
  await insert(listed, 1_001, 1_051, { communityId: 'b' });
  if (isAnalyzed) await sql`analyze`.execute(filled);
  await insert(listed, 100_000, 100_000 + total, {});
  await insert(held, 200_000, 200_000 + total, { claim: 'held' });
  await insert(burnt, 300_000, 300_000 + total, { isListed: false, claim: 'burnt' });
  await filled.destroy();

  const explaining = openExplaining(url);
  const costs: [string, number][] = [];
  for (const [name, address] of Object.entries({ listed, held, burnt })) {
    for (const filter of [
      {},
      { claimStatus: 'claimed' as const },
      // Not for the second wallet: to find its unclaimed tokens, those that it holds are skipped one by one.
      ...(name === 'held'
        ? []
        : [{ claimStatus: 'unclaimed' as const }, { communityId: 'b', claimStatus: 'unclaimed' as const }]),
      { communityId: 'a' },
      { communityId: 'b' },
      { communityId: 'unknown' },
    ]) {
      for (const offset of [0, 1_000]) {
        const page = { claimStatus: undefined, communityId: undefined, limit: 50, offset, ...filter };
        const plan = await listWalletTokens(explaining, { address: address ?? ADDRESS, ...page });
        costs.push([`${name} ${JSON.stringify({ ...filter, offset })}`, pagesRead(plan)]);
      }
    }
  }
  await explaining.destroy();
  return costs;
}

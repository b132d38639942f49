import { createDatabase } from '@badge/test-support/databases';
import { countWrongTokenLists } from '@badge/test-support/token-lists';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openExplaining, pagesRead } from '../testing/explaining-database.ts';
import {
  idsOf,
  insert,
  insertCommunities,
  listExpectedIds,
  setHidden,
  type TestToken,
  tokenListingsFixture,
} from '../testing/token-listings-fixture.ts';
import { openDatabase } from './database.ts';
import { listCommunityTokens, listTokens } from './token-listings.ts';

const fixture = tokenListingsFixture();

// The values that are not strings, by their text.
const JSON_VALUES = new Map<string, number | boolean>([
  ['5', 5],
  ['true', true],
  ['1e+21', 1e21],
]);
// Some values of different types have the same text.
const anyValue = fc.constantFrom<string | number | boolean>('x', '5', 5, 'true', true, 1e21, '1e+21', '');
// Ids in a few blocks, so that some are next to each other and some far apart. Imported ids may have gaps.
const anyId = fc
  .tuple(fc.constantFrom(0, 4_085, 8_192, 70_000), fc.integer({ min: 1, max: 20 }))
  .map(([start, n]) => start + n);
const anyTokens = fc.uniqueArray(
  fc.record<TestToken>({
    tokenId: anyId,
    communityId: fc.constantFrom('a', 'b'),
    headline: fc.constantFrom('Speaker', '主'.repeat(1000)),
    isHidden: fc.boolean(),
    attributes: fc.uniqueArray(fc.record({ fieldName: fc.constantFrom('n', 'm', '{,"'), value: anyValue }), {
      selector: ({ fieldName }) => fieldName,
      maxLength: 3,
    }),
  }),
  { selector: ({ tokenId }) => tokenId, maxLength: 60 },
);
const anyPage = fc.record({
  limit: fc.nat(30),
  offset: fc.oneof(fc.nat(60), fc.constant(Number.MAX_SAFE_INTEGER)),
  order: fc.constantFrom('asc' as const, 'desc' as const),
});
const anyFilter = fc.record({
  communityId: fc.constantFrom('a', 'b'),
  isHidden: fc.boolean(),
  headline: fc.constantFrom(undefined, undefined, 'Speaker', '主'.repeat(1000), 'no token has it'),
  attributes: fc.uniqueArray(fc.tuple(fc.constantFrom('n', 'm', '{,"'), anyValue.map(String)), {
    selector: ([fieldName]) => fieldName,
    maxLength: 3,
  }),
});

test('every page equals that of a query that reads all tokens, for any gaps, hidden tokens and filters', async () => {
  await fc.assert(
    fc
      .asyncProperty(
        anyTokens,
        fc.array(fc.tuple(fc.array(anyId), fc.boolean()), { maxLength: 3 }),
        fc.array(fc.tuple(anyPage, anyFilter), { minLength: 10, maxLength: 10 }),
        async (tokens, changes, reads) => {
          // In two statements and in any order of ids, as imports may insert them.
          await insert(fixture.db, tokens.slice(0, 20));
          await insert(fixture.db, tokens.slice(20));
          for (const [tokenIds, isHidden] of changes) await setHidden(fixture.db, tokenIds, isHidden);
          for (const [page, filter] of reads) {
            const visible = await listExpectedIds(fixture.db, sql`not is_hidden`, page);
            expect(idsOf(await listTokens(fixture.db, page))).toEqual(visible);
            const conditions = [
              sql`community_id = ${filter.communityId}`,
              sql`is_hidden = ${filter.isHidden}`,
              ...(filter.headline === undefined ? [] : [sql`headline = ${filter.headline}`]),
              ...filter.attributes.map(([fieldName, text]) => {
                const values = [text, JSON_VALUES.get(text) ?? text];
                const lists = values.map((value) => JSON.stringify([{ fieldName, value }]));
                return sql`custom_attributes @> any(${lists}::jsonb[])`;
              }),
            ];
            const filtered = await listExpectedIds(fixture.db, sql.join(conditions, sql` and `), page);
            expect(idsOf(await listCommunityTokens(fixture.db, { ...page, ...filter }))).toEqual(filtered);
          }
          expect(await countWrongTokenLists(fixture.databaseUrl)).toBe(0);
        },
      )
      .beforeEach(async () => {
        await sql`truncate tokens, token_list_entries, token_list_blocks cascade`.execute(fixture.db);
        expect(await countWrongTokenLists(fixture.databaseUrl)).toBe(0);
      }),
    { numRuns: 30 },
  );
});

test('a page costs less than three times as much with 20,000 tokens as with 2,000, without statistics', async () => {
  const readCosts = async (total: number) => {
    const url = await createDatabase();
    const filled = openDatabase({ connectionString: url }, () => undefined);
    await insertCommunities(filled);
    for (const table of ['tokens', 'token_list_entries', 'token_list_blocks']) {
      await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(filled);
    }
    // A tenth of the tokens is hidden: every twentieth, and a run of consecutive ones.
    const tokens = Array.from({ length: total }, (_, index) => ({
      tokenId: index + 1,
      communityId: 'a',
      headline: 'Speaker',
      isHidden: index % 20 === 7 || (index >= total / 2 && index < total / 2 + total / 20),
      attributes: [{ fieldName: 'n', value: 'x' }],
    }));
    for (let from = 0; from < total; from += 1000) await insert(filled, tokens.slice(from, from + 1000));
    await filled.destroy();

    const explaining = openExplaining(url);
    const community = { communityId: 'a', isHidden: false, headline: undefined, attributes: [] };
    const costs: number[] = [];
    // Near the start, near the run of hidden tokens, and near the end.
    for (const offset of [0, Math.floor(total * 0.47), Math.floor(total * 0.85)]) {
      for (const order of ['asc', 'desc'] as const) {
        const page = { limit: 50, offset, order };
        const plans = [
          await listTokens(explaining, page),
          await listCommunityTokens(explaining, { ...page, ...community }),
          await listCommunityTokens(explaining, { ...page, ...community, isHidden: true }),
          await listCommunityTokens(explaining, { ...page, ...community, headline: 'Speaker' }),
          await listCommunityTokens(explaining, { ...page, ...community, attributes: [['n', 'x']] }),
          await listCommunityTokens(explaining, { ...page, ...community, attributes: [['n', 'y']] }),
        ];
        for (const plan of plans) costs.push(pagesRead(plan));
      }
    }
    await explaining.destroy();
    return costs;
  };
  const small = await readCosts(2_000);
  const large = await readCosts(20_000);
  // A cost with 2,000 tokens that is below 20 pages of the database counts as 20: a few of them more or less
  // do not matter.
  const ratios = large.map((cost, index) => cost / Math.max(20, small[index] ?? 0));
  expect(Math.max(...ratios)).toBeLessThan(3);
});

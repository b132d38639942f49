import { createDatabase } from '@badge/test-support/databases';
import { countWrongTokenLists } from '@badge/test-support/token-lists';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openExplaining, pagesRead } from '../testing/explaining-database.ts';
import { type Database, openDatabase } from './database.ts';
import { listCommunityTokens, listTokens } from './token-listings.ts';

let databaseUrl: string;
let db: Database;

beforeAll(async () => {
  databaseUrl = await createDatabase();
  db = openDatabase({ connectionString: databaseUrl }, () => undefined);
  await insertCommunities(db);
});
afterAll(() => db.destroy());

async function insertCommunities(database: Database): Promise<void> {
  await sql`
    insert into communities (community_id, display_id, name, description)
    values ('a', '', '', ''), ('b', '', '', '')`.execute(database);
}

interface TestToken {
  tokenId: number;
  communityId: string;
  headline: string;
  isHidden: boolean;
  attributes: { fieldName: string; value: string | number | boolean }[];
}

async function insert(database: Database, tokens: TestToken[]): Promise<void> {
  await sql`
    with token as materialized (
      select *, gen_random_uuid() as operation_id
      from jsonb_to_recordset(${JSON.stringify(tokens)}::jsonb) as t (
        "tokenId" bigint, "communityId" text, headline text, "isHidden" boolean, attributes jsonb
      )
    ), operation as (
      insert into operations (operation_id, operation_type, community_id, request_bytes)
      select operation_id, 'createToken', "communityId", 0 from token
    )
    insert into tokens (
      token_id, operation_id, community_id, creator, headline, description, links, nft_type_id,
      is_signature_required, is_allowlist_required, custom_attributes, signature, created_at, is_hidden
    )
    select "tokenId", operation_id, "communityId", decode(repeat('00', 20), 'hex'), headline, '', '[]', '',
           false, true, attributes, '', now(), "isHidden"
    from token`.execute(database);
}

async function setHidden(database: Database, tokenIds: number[], isHidden: boolean): Promise<void> {
  await sql`update tokens set is_hidden = ${isHidden} where token_id = any(${tokenIds}::bigint[])`.execute(
    database,
  );
}

/** Returns the ids of a page, by a query that reads all tokens. */
async function listExpectedIds(
  database: Database,
  where: ReturnType<typeof sql>,
  { order, limit, offset }: { order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<number[]> {
  const { rows } = await sql<{ token_id: number }>`
    select token_id from tokens where ${where}
    order by token_id ${sql.raw(order)} limit ${limit} offset ${offset}`.execute(database);
  return rows.map(({ token_id }) => token_id);
}

const idsOf = (rows: { token_id: number }[]) => rows.map(({ token_id }) => token_id);

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

test('every page equals that of a query that reads all tokens, for any gaps, hidden tokens and filters', {
  tags: ['slow'],
}, async () => {
  await fc.assert(
    fc
      .asyncProperty(
        anyTokens,
        fc.array(fc.tuple(fc.array(anyId), fc.boolean()), { maxLength: 3 }),
        fc.array(fc.tuple(anyPage, anyFilter), { minLength: 10, maxLength: 10 }),
        async (tokens, changes, reads) => {
          // In two statements and in any order of ids, as imports may insert them.
          await insert(db, tokens.slice(0, 20));
          await insert(db, tokens.slice(20));
          for (const [tokenIds, isHidden] of changes) await setHidden(db, tokenIds, isHidden);
          for (const [page, filter] of reads) {
            const visible = await listExpectedIds(db, sql`not is_hidden`, page);
            expect(idsOf(await listTokens(db, page))).toEqual(visible);
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
            const filtered = await listExpectedIds(db, sql.join(conditions, sql` and `), page);
            expect(idsOf(await listCommunityTokens(db, { ...page, ...filter }))).toEqual(filtered);
          }
          expect(await countWrongTokenLists(databaseUrl)).toBe(0);
        },
      )
      .beforeEach(async () => {
        await sql`truncate tokens, token_list_entries, token_list_blocks cascade`.execute(db);
        expect(await countWrongTokenLists(databaseUrl)).toBe(0);
      }),
    { numRuns: 30 },
  );
});

test('tokens that are created and hidden concurrently are listed once, without deadlocks', async () => {
  const url = await createDatabase();
  const concurrent = openDatabase({ connectionString: url }, () => undefined);
  await insertCommunities(concurrent);
  const tokens = Array.from({ length: 200 }, (_, index) => ({
    tokenId: index + 1,
    communityId: index % 2 === 0 ? 'a' : 'b',
    headline: `Speaker ${index % 5}`,
    isHidden: false,
    attributes: [
      { fieldName: 'n', value: index % 3 },
      { fieldName: 'm', value: index % 7 },
    ],
  }));
  await insert(concurrent, tokens.slice(0, 50));
  const writes = [
    ...[50, 75, 100, 125, 150, 175].map((from) => insert(concurrent, tokens.slice(from, from + 25))),
    ...tokens.slice(0, 50).map(({ tokenId }) => setHidden(concurrent, [tokenId], true)),
    ...tokens.slice(0, 50).map(({ tokenId }) => setHidden(concurrent, [tokenId], tokenId % 3 === 0)),
  ];
  await Promise.all(writes);
  const page = { limit: 1000, offset: 0, order: 'asc' as const };
  expect(idsOf(await listTokens(concurrent, page))).toEqual(
    await listExpectedIds(concurrent, sql`not is_hidden`, page),
  );
  expect(await countWrongTokenLists(url)).toBe(0);
  await concurrent.destroy();
});

test('a page costs less than three times as much with 20,000 tokens as with 2,000, without statistics', {
  tags: ['slow'],
}, async () => {
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
  // A cost with 2,000 tokens that is below 20 pages of the database counts as 20: a few of them more or less do not matter.
  const ratios = large.map((cost, index) => cost / Math.max(20, small[index] ?? 0));
  expect(Math.max(...ratios)).toBeLessThan(3);
});

import { createDatabase } from '@badge/test-support/databases';
import { query } from '@badge/test-support/sql';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from './database.ts';
import { listTokens } from './token-listings.ts';

const TOKENS = 40;

let db: Database;

beforeAll(async () => {
  const databaseUrl = await createDatabase();
  await query(
    databaseUrl,
    `with community as (
       insert into communities (community_id, display_id, name, description) values ('c', '', '', '')
     ), operation as (
       insert into operations (operation_id, operation_type, community_id, request_bytes)
       select gen_random_uuid(), 'createToken', 'c', 0 from generate_series(1, ${TOKENS})
       returning operation_id
     ), token as (
       insert into tokens (
         token_id, operation_id, community_id, creator, headline, description, links, nft_type_id,
         is_signature_required, is_allowlist_required, custom_attributes, signature, created_at
       )
       select row_number() over (), operation_id, 'c', decode(repeat('00', 20), 'hex'), '', '', '[]', '',
              false, true, '[]', '', now()
       from operation
     )
     update token_counter set last_token_id = ${TOKENS}`,
  );
  db = openDatabase({ connectionString: databaseUrl }, () => undefined);
});
afterAll(() => db.destroy());

const anOffset = fc.oneof(fc.nat(TOKENS + 5), fc.constant(Number.MAX_SAFE_INTEGER));
const anOrder = fc.constantFrom('asc' as const, 'desc' as const);
const someIds = fc.uniqueArray(fc.integer({ min: 1, max: TOKENS }), { maxLength: TOKENS });
// Consecutive hidden tokens, which random ids rarely form.
const aRun = fc
  .tuple(fc.nat(TOKENS), fc.nat(TOKENS))
  .map(([from, to]) => Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index + 1));

test('a page equals that of a query with OFFSET, for any hidden tokens', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(someIds, aRun),
      anOffset,
      fc.nat(TOKENS),
      anOrder,
      async (hiddenIds, offset, limit, order) => {
        await sql`update tokens set is_hidden = token_id = any(${hiddenIds}::bigint[])`.execute(db);
        const expected = await sql<{ token_id: number }>`
          select token_id from tokens where not is_hidden
          order by token_id ${sql.raw(order)} limit ${limit} offset ${offset}`.execute(db);
        const rows = await listTokens(db, { limit, offset, order });
        expect(rows.map(({ token_id }) => token_id)).toEqual(expected.rows.map(({ token_id }) => token_id));
      },
    ),
    { numRuns: 300 },
  );
});

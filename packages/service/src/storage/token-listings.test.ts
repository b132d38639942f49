import { createDatabase } from '@badge/test-support/databases';
import { countWrongTokenLists } from '@badge/test-support/token-lists';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  idsOf,
  insert,
  insertCommunities,
  listExpectedIds,
  setHidden,
  tokenListingsFixture,
} from '../testing/token-listings-fixture.ts';
import { openDatabase } from './database.ts';
import { listTokens } from './token-listings.ts';

tokenListingsFixture();

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

import { holdLock, query } from '@badge/test-support/sql';
import { expect, test } from 'vitest';
import { tokenFiltersFixture } from '../../testing/token-filters-fixture.ts';
import type { Reader } from '../reader.ts';
import { listCommunityTokens } from './list-tokens.ts';

const fixture = tokenFiltersFixture();

test('a page of up to 100 tokens of a community is read by one query, however large their links are', async () => {
  await query(
    fixture.service.databaseUrl,
    "update tokens set links = jsonb_build_array(repeat('x', 500000))",
  );
  let queries = 0;
  const reader: Reader = {
    read: (_maxBytes, runQuery) => {
      queries += 1;
      return runQuery();
    },
  };
  const filter = { limit: 100, offset: 0, order: 'asc' as const, headline: undefined, attributes: {} };
  const pieces = listCommunityTokens(fixture.service.context, reader, 'demo', null, filter);
  const { value: page } = await pieces.next();
  expect(page).toMatchObject({ items: [{ tokenId: 1 }, { tokenId: 2 }], isLast: true });
  expect(queries).toBe(1);
});

test('a list with several filters is refused after a second if its table is locked, and succeeds when it is unlocked', async () => {
  const list = () => fetch(`${fixture.service.url}/v1/communities/demo/tokens?headline=x&track=web`);
  const release = await holdLock(fixture.service.databaseUrl, 'token_list_entries', 'access exclusive');
  const refused = await list();
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({
    name: 'Unavailable',
    detail: expect.stringContaining('fewer filters'),
  });
  await release();
  expect((await list()).status).toBe(200);
});

import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import { readWithTimeout } from './long-lists.ts';
import {
  type LimitedTokenRow,
  selectLimited,
  selectSize,
  TOKEN_COLUMNS,
  type TokenColumn,
  type TokenSize,
} from './tokens.ts';

// Each token is in several lists:
// - the list of all tokens
// - the list of its community
// - the list of its headline in this community
// - for each of its custom attributes, the list of the attribute's value in this community
//
// Triggers on `tokens` maintain the entries of the lists, and count them in blocks of ids. The queries read
// few rows, whatever plan PostgreSQL chooses, so they do not depend on its statistics.

const BLOCK_IDS = 4096;

interface TokenPage {
  limit: number;
  offset: number;
  order: 'asc' | 'desc';
}

/** A page of the tokens that are not hidden, by id. Every page costs the same. */
export async function listTokens(db: Database, page: TokenPage): Promise<LimitedTokenRow<TokenColumn>[]> {
  return await selectLimited(pageOfTokens(db, page), TOKEN_COLUMNS).execute();
}

/** The ids and sizes of a page of `listTokens`. */
export async function listTokenSizes(db: Database, page: TokenPage): Promise<TokenSize[]> {
  return await selectSize(pageOfTokens(db, page), TOKEN_COLUMNS).execute();
}

function pageOfTokens(db: Database, page: TokenPage) {
  return tokensById(db, page, idsOfList(listId('tokens'), { ...page, isHidden: false }));
}

/** The columns that the list of a community's tokens returns. */
export const COMMUNITY_TOKEN_COLUMNS = [
  'token_id',
  'headline',
  'created_at',
  'asset_content_type',
  'custom_attributes',
] as const satisfies TokenColumn[];

type CommunityTokenColumn = (typeof COMMUNITY_TOKEN_COLUMNS)[number];

/** A page of the visible or of the hidden tokens of a list. */
interface ListPage extends TokenPage {
  isHidden: boolean;
}

interface CommunityTokenPage extends ListPage {
  communityId: string;
  headline: string | undefined;
  /** Names of attributes that a token must have, with the text of their values. */
  attributes: [fieldName: string, text: string][];
}

/**
 * A page of a community's tokens by id. With at most one filter, every page costs the same. With several
 * filters, a page that takes longer than 1 second fails with a statement timeout.
 */
export async function listCommunityTokens(
  db: Database,
  page: CommunityTokenPage,
): Promise<LimitedTokenRow<CommunityTokenColumn>[]> {
  return await readWithTimeout(db, hasSeveralFilters(page), (tx) =>
    selectLimited(pageOfCommunityTokens(tx, page), COMMUNITY_TOKEN_COLUMNS).execute(),
  );
}

/** The ids and sizes of a page of `listCommunityTokens`. */
export async function listCommunityTokenSizes(db: Database, page: CommunityTokenPage): Promise<TokenSize[]> {
  return await readWithTimeout(db, hasSeveralFilters(page), (tx) =>
    selectSize(pageOfCommunityTokens(tx, page), COMMUNITY_TOKEN_COLUMNS).execute(),
  );
}

function pageOfCommunityTokens(db: Database, page: CommunityTokenPage) {
  const lists = listsOfFilters(page);
  // Without a filter, this is the list of all tokens of the community.
  const [list = listId('community', page.communityId)] = lists;
  const ids = hasSeveralFilters(page) ? idsInAllLists(lists, page) : idsOfList(list, page);
  return tokensById(db, page, ids);
}

// Each filter has a list of the tokens that match it.
function listsOfFilters({ communityId, headline, attributes }: CommunityTokenPage): ListId[] {
  return [
    ...(headline === undefined ? [] : [listId('headline', communityId, headline)]),
    ...attributes.map(([fieldName, text]) => listId('attribute', communityId, fieldName, text)),
  ];
}

const hasSeveralFilters = (page: CommunityTokenPage) => listsOfFilters(page).length > 1;

type ListId = RawBuilder<string>;
type TokenIds = RawBuilder<number[]>;

/** The id of a list, as the trigger on `tokens` computes it. */
export function listId(...parts: string[]): ListId {
  return sql<string>`token_list_id(variadic ${parts}::text[])`;
}

function tokensById(db: Database, { order }: TokenPage, ids: TokenIds) {
  return db.selectFrom('tokens').where(sql<boolean>`token_id = any(${ids})`).orderBy('token_id', order);
}

// The counts show which blocks contain the page. Only the entries of these blocks are read. The page can
// begin and end within a block. So up to two blocks of entries are read in addition to its `limit` entries.
function idsOfList(list: ListId, { isHidden, limit, offset, order }: ListPage): TokenIds {
  const direction = sql.raw(order);
  return sql<number[]>`array(
    with counted as (
      select block, tokens, sum(tokens) over (order by block ${direction}) - tokens as preceding
      from token_list_blocks where list_id = ${list} and is_hidden = ${isHidden}
    ), page as (
      select min(block) as lowest, max(block) as highest, ${offset} - min(preceding)::bigint as skipped
      from counted where tokens > 0 and preceding + tokens > ${offset} and preceding < ${offset + limit}
    )
    select token_id from token_list_entries
    where list_id = ${list} and is_hidden = ${isHidden}
      and token_id >= (select lowest * ${BLOCK_IDS} from page)
      and token_id < (select (highest + 1) * ${BLOCK_IDS} from page)
    order by token_id ${direction}
    limit ${limit} offset (select skipped from page)
  )`;
}

// Selects the tokens that are in all of the lists. Reads one block after the other until the page is
// complete, and skips blocks in which a list has no tokens. In each block it looks up the entries of the
// shortest list in the other lists.
function idsInAllLists(lists: ListId[], { isHidden, limit, offset, order }: ListPage): TokenIds {
  const direction = sql.raw(order);
  return sql<number[]>`array(
    with recursive list as materialized (
      select distinct list_id from unnest(array[${sql.join(lists)}]) as list_id
    ), shared as (
      select b.block, (array_agg(b.list_id order by b.tokens))[1] as shortest
      from token_list_blocks b
      where b.list_id = any(array(select list_id from list)) and b.is_hidden = ${isHidden} and b.tokens > 0
      group by b.block having count(*) = (select count(*) from list)
    ), plan as materialized (
      select array_agg(block order by block ${direction}) as blocks,
             array_agg(shortest order by block ${direction}) as shortest
      from shared
    ), walk (step, found, token_ids) as (
      select 0, 0::bigint, '{}'::bigint[]
      union all
      select w.step + 1, w.found + cardinality(block.token_ids), block.token_ids
      from walk w
      cross join plan p
      cross join lateral (
        select array(
          select e.token_id from token_list_entries e
          where e.list_id = p.shortest[w.step + 1] and e.is_hidden = ${isHidden}
            and e.token_id >= p.blocks[w.step + 1] * ${BLOCK_IDS}
            and e.token_id < (p.blocks[w.step + 1] + 1) * ${BLOCK_IDS}
            and (
              select count(*) from list l
              cross join lateral (
                select from token_list_entries o
                where o.list_id = l.list_id and o.is_hidden = ${isHidden} and o.token_id = e.token_id
                limit 1
              ) as other
              where l.list_id <> e.list_id
            ) = (select count(*) - 1 from list)
        ) as token_ids
      ) as block
      where w.step < cardinality(p.blocks) and w.found < ${offset + limit}
    )
    select token_id from walk cross join unnest(token_ids) as token_id
    order by token_id ${direction} limit ${limit} offset ${offset}
  )`;
}

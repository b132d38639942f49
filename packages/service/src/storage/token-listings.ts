import { type RawBuilder, sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { Database } from './database.ts';
import { type LimitedTokenRow, selectLimited } from './tokens.ts';

interface TokenPage {
  limit: number;
  offset: number;
  order: 'asc' | 'desc';
}

/** A page of the tokens that are not hidden, by id. */
export async function listTokens(db: Database, page: TokenPage): Promise<LimitedTokenRow[]> {
  return await selectLimited(pageOfTokens(db, page)).execute();
}

/** The ids of a page of `listTokens`. */
export async function listTokenIds(db: Database, page: TokenPage): Promise<number[]> {
  return toIds(await pageOfTokens(db, page).select('token_id').execute());
}

/**
 * Ids have no gaps, so the first id of the page can be computed, and
 * every page costs the same: it skips `offset` ids, plus the hidden tokens that come before the page.
 */
function pageOfTokens(db: Database, page: TokenPage) {
  const place = page.order === 'asc' ? sql`token_id` : sql`last_token_id + 1 - token_id`;
  const lastSkipped = sql<number>`(
    select ${page.offset}::bigint + count(*) filter (where preceding_visible < ${page.offset}::bigint)
    from (
      select ${place} - row_number() over (order by ${place}) as preceding_visible
      from tokens cross join token_counter where is_hidden
    ) as hidden
  )`;
  const tokens = db.selectFrom('tokens').where('is_hidden', '=', false);
  const rest =
    page.order === 'asc'
      ? tokens.where('token_id', '>', lastSkipped)
      : tokens.where(
          'token_id',
          '<=',
          sql<number>`(select last_token_id from token_counter) - ${lastSkipped}`,
        );
  return rest.orderBy('token_id', page.order).limit(page.limit);
}

interface CommunityTokenPage extends TokenPage {
  communityId: string;
  isHidden: boolean;
  headline: string | undefined;
  /** A token must have one attribute of each inner list. */
  attributes: { fieldName: string; value: string | number | boolean }[][];
}

/** A page of a community's tokens by id. */
export async function listCommunityTokens(
  db: Database,
  page: CommunityTokenPage,
): Promise<LimitedTokenRow[]> {
  return await selectLimited(pageOfCommunityTokens(db, page)).execute();
}

/** The ids of a page of `listCommunityTokens`. */
export async function listCommunityTokenIds(db: Database, page: CommunityTokenPage): Promise<number[]> {
  return toIds(await pageOfCommunityTokens(db, page).select('token_id').execute());
}

function pageOfCommunityTokens(db: Database, page: CommunityTokenPage) {
  const { communityId, isHidden, headline, attributes, limit, offset, order } = page;
  const tokens = db
    .selectFrom('tokens')
    .where('community_id', '=', communityId)
    .where('is_hidden', '=', isHidden)
    .where((eb) =>
      eb.and([
        ...(headline === undefined ? [] : [eb('headline', '=', headline)]),
        ...attributes.map((alternatives) => {
          const lists = alternatives.map((attribute) => JSON.stringify([attribute]));
          return sql<boolean>`custom_attributes @> any(${lists}::jsonb[])`;
        }),
      ]),
    );
  return tokens.orderBy('token_id', order).limit(limit).offset(offset);
}

function toIds(rows: { token_id: number }[]): number[] {
  return rows.map((row) => row.token_id);
}

export interface WalletTokenRow {
  token_id: number;
  headline: string;
  asset_content_type: string | null;
  community_id: string;
  claim_status: 'claimed' | 'unclaimed';
  created_at: Date;
}

interface WalletTokenPage {
  address: Address;
  claimStatus: 'claimed' | 'unclaimed' | undefined;
  communityId: string | undefined;
  limit: number;
  offset: number;
}

/**
 * A page of the tokens that an address holds, or can claim because an allowlist names it; newest token first.
 * A burnt token is left out: it cannot be claimed again.
 */
export async function listWalletTokens(db: Database, page: WalletTokenPage): Promise<WalletTokenRow[]> {
  const columns = sql`t.token_id, t.headline, t.asset_content_type, t.community_id, w.claim_status, w.created_at`;
  const { rows } = await pageOfWalletTokens<WalletTokenRow>(columns, page).execute(db);
  return rows;
}

/** The ids of a page of `listWalletTokens`. */
export async function listWalletTokenIds(db: Database, page: WalletTokenPage): Promise<number[]> {
  const { rows } = await pageOfWalletTokens<{ token_id: number }>(sql`t.token_id`, page).execute(db);
  return toIds(rows);
}

function pageOfWalletTokens<Row>(columns: RawBuilder<unknown>, page: WalletTokenPage): RawBuilder<Row> {
  const { address } = page;
  const communityId = page.communityId ?? null;
  const claimStatus = page.claimStatus ?? null;
  return sql<Row>`
    select ${columns}
    from (
      select token_id, 'claimed' as claim_status, claimed_at as created_at
      from claims where address = ${address} and burnt_at is null
      union all
      select token_id, 'unclaimed', added_at
      from allowlist_entries a
      where contributor_key = ${address} and octet_length(contributor_key) = 20
        and not exists (select from claims c where c.token_id = a.token_id and c.address = ${address})
    ) w
    join tokens t using (token_id)
    where (${claimStatus}::text is null or w.claim_status = ${claimStatus})
      and (${communityId}::text is null or t.community_id = ${communityId})
    order by t.token_id desc limit ${page.limit} offset ${page.offset}`;
}

/** Finds tokens that an address has claimed or that an allowlist offers it, newest token first. */
export async function findWalletTokens(
  db: Database,
  address: Address,
  tokenIds: number[],
): Promise<WalletTokenRow[]> {
  const { rows } = await sql<WalletTokenRow>`
    select t.token_id, t.headline, t.asset_content_type, t.community_id,
           case when c.token_id is null then 'unclaimed' else 'claimed' end as claim_status,
           coalesce(c.claimed_at, a.added_at) as created_at
    from tokens t
    left join claims c on c.token_id = t.token_id and c.address = ${address}
    left join allowlist_entries a on a.token_id = t.token_id and a.contributor_key = ${address}
    where t.token_id = any(${tokenIds}::bigint[])
    order by t.token_id desc`.execute(db);
  return rows;
}

import { type RawBuilder, sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { Database } from './database.ts';
import { isFarFromStart, readWithTimeout } from './long-lists.ts';
import { prepared } from './prepared-statements.ts';
import { listId } from './token-listings.ts';
import { isValid, VALID_UNTIL } from './validity.ts';

// Anybody with an API key can add a wallet to any number of allowlists. So a page must read only as many rows
// of the wallet as it needs, whatever plan PostgreSQL chooses and even without statistics. For this reason,
// look-ups are lateral subqueries with a limit, which PostgreSQL executes once per row.

const MIN_CHUNK_TOKENS = 20;
const MAX_CHUNK_TOKENS = 320;
const MAX_TOKEN_ID = sql<number>`9223372036854775807`;

export interface WalletTokenRow {
  token_id: number;
  headline: string;
  asset_content_type: string | null;
  community_id: string;
  claim_status: 'claimed' | 'unclaimed';
  created_at: Date;
  /** When the token of the wallet ends. Null: never, or it is unclaimed. */
  valid_until: Date | null;
  is_expired: boolean;
  /** Whether its owner has hidden it from pages. */
  is_hidden: boolean;
  /** The wallet. */
  address: Address;
}

type ClaimStatus = WalletTokenRow['claim_status'];

interface WalletTokenPage {
  address: Address;
  claimStatus: ClaimStatus | undefined;
  communityId: string | undefined;
  limit: number;
  offset: number;
}

// The CTE `page` contains the parameters of a page. So the fragments below have no parameters, as `prepared`
// requires.
const ADDRESS = sql`(select address from page)`;
const CLAIM_STATUS = sql`(select claim_status from page)`;
const LIMIT = sql<number>`(select page_limit from page)`;
const OFFSET = sql<number>`(select page_offset from page)`;

/**
 * A page of the tokens that an address holds, and of those whose allowlist contains it; newest token first. A
 * burnt token is left out: it cannot be claimed again. A page that can take long to read fails with a
 * statement timeout after 1 second.
 */
export async function listWalletTokens(db: Database, page: WalletTokenPage): Promise<WalletTokenRow[]> {
  const { address, claimStatus = null, communityId, limit, offset } = page;
  // A page of one community is not prepared, because `idsInCommunity` has parameters.
  const query =
    communityId === undefined
      ? prepared<WalletTokenRow>`
          with page (address, claim_status, page_limit, page_offset) as materialized (
            select ${address}::bytea, ${claimStatus}::text, ${limit}::bigint, ${offset}::bigint
          ), listed as materialized (${IDS_OF_WALLET})
          ${SELECT_LISTED}`
      : queryPage<WalletTokenRow>(page, SELECT_LISTED);
  const { rows } = await readWithTimeout(db, mayTakeLong(page), (tx) => query.execute(tx));
  return rows;
}

/** The ids of a page of `listWalletTokens`. */
export async function listWalletTokenIds(db: Database, page: WalletTokenPage): Promise<number[]> {
  const query = queryPage<{ token_id: number }>(
    page,
    sql`select token_id from listed order by token_id desc`,
  );
  const { rows } = await readWithTimeout(db, mayTakeLong(page), (tx) => query.execute(tx));
  return rows.map((row) => row.token_id);
}

/** Finds the rows of tokens that `listWalletTokenIds` has returned for the address, newest token first. */
export async function findWalletTokens(
  db: Database,
  address: Address,
  tokenIds: number[],
): Promise<WalletTokenRow[]> {
  const { rows } = await sql<WalletTokenRow>`
    with page (address) as materialized (select ${address}::bytea),
    listed as materialized (select token_id from unnest(${tokenIds}::bigint[]) as token_id)
    ${SELECT_LISTED}`.execute(db);
  return rows;
}

/** A page of `listWalletTokens` that is filtered by one token. It has at most one row. */
export async function findWalletToken(
  db: Database,
  page: WalletTokenPage,
  tokenId: number,
): Promise<WalletTokenRow[]> {
  const { address, claimStatus = null, communityId = null, limit, offset } = page;
  // A burnt token is left out. So is one that the address has not claimed and cannot claim.
  const { rows } = await sql<WalletTokenRow>`
    with page (address) as materialized (select ${address}::bytea),
    listed as materialized (
      select ${tokenId}::bigint as token_id
      where coalesce(
        (select burnt_at is null from claims c where c.token_id = ${tokenId} and c.address = ${ADDRESS} limit 1),
        exists (
          select from allowlist_entries a where a.token_id = ${tokenId} and a.contributor_key = ${ADDRESS}
        )
      )
    )
    select * from (${SELECT_LISTED}) as found
    where (${claimStatus}::text is null or claim_status = ${claimStatus})
      and (${communityId}::text is null or community_id = ${communityId})
    limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

function queryPage<Row>(page: WalletTokenPage, selection: RawBuilder<unknown>): RawBuilder<Row> {
  const { address, claimStatus = null, communityId, limit, offset } = page;
  const ids = communityId === undefined ? IDS_OF_WALLET : idsInCommunity(communityId);
  return sql<Row>`
    with page (address, claim_status, page_limit, page_offset) as materialized (
      select ${address}::bytea, ${claimStatus}::text, ${limit}::bigint, ${offset}::bigint
    ), listed as materialized (${ids})
    ${selection}`;
}

// To find unclaimed tokens, those that the address has claimed are read and skipped. To find the tokens of a
// community, those of other communities are read and skipped.
function mayTakeLong(page: WalletTokenPage): boolean {
  return isFarFromStart(page) || page.claimStatus === 'unclaimed' || page.communityId !== undefined;
}

// SQL: the rows of the tokens of `listed`, as an address has them.
const selectListed = (address: RawBuilder<unknown>) => sql`
  select t.token_id, t.headline, t.asset_content_type, t.community_id,
         case when c.claimed_at is null then 'unclaimed' else 'claimed' end as claim_status,
         coalesce(c.claimed_at, a.added_at) as created_at,
         c.valid_until, coalesce(c.is_expired, false) as is_expired,
         (
           select true from hidden_tokens h where h.token_id = listed.token_id and h.address = ${address} limit 1
         ) is not null as is_hidden,
         ${address} as address
  from listed
  cross join lateral (select * from tokens t where t.token_id = listed.token_id limit 1) t
  left join lateral (
    select claimed_at, ${VALID_UNTIL} as valid_until, not ${isValid(VALID_UNTIL)} as is_expired
    from claims c where c.token_id = listed.token_id and c.address = ${address} limit 1
  ) c on true
  left join lateral (
    select added_at from allowlist_entries a
    where a.token_id = listed.token_id and a.contributor_key = ${address} limit 1
  ) a on true
  order by t.token_id desc`;

const SELECT_LISTED = selectListed(ADDRESS);

/** A token that one of several addresses has. */
export interface HeldToken {
  token_id: number;
  address: Address;
}

/**
 * A page of the tokens that the addresses have, valid or not, newest token first. Fails with a statement
 * timeout if it takes longer than 1 second.
 */
export async function listTokensHeldBy(
  db: Database,
  addresses: Address[],
  page: { limit: number; offset: number },
): Promise<HeldToken[]> {
  // The newest tokens of each address are enough for a page of the newest of all.
  const query = sql<HeldToken>`
    with page (page_limit, page_offset) as materialized (
      select ${page.limit}::bigint, ${page.offset}::bigint
    )
    select held.token_id, a.address from unnest(${addresses}::bytea[]) as a (address)
    cross join lateral (
      select token_id from claims c where c.burnt_at is null and c.address = a.address
      order by c.address desc, c.token_id desc limit (select page_limit + page_offset from page)
    ) held
    order by held.token_id desc, a.address limit ${LIMIT} offset ${OFFSET}`;
  const isSlow = addresses.length > 1 || isFarFromStart(page);
  const { rows } = await readWithTimeout(db, isSlow, (tx) => query.execute(tx));
  return rows;
}

/** Finds the rows of tokens that `listTokensHeldBy` has returned, newest token first. */
export async function findHeldTokenRows(db: Database, held: HeldToken[]): Promise<WalletTokenRow[]> {
  const { rows } = await sql<WalletTokenRow>`
    with listed as materialized (
      select * from unnest(
        ${held.map((one) => one.token_id)}::bigint[], ${held.map((one) => one.address)}::bytea[]
      ) as l (token_id, address)
    )
    ${selectListed(sql`listed.address`)}`.execute(db);
  return rows;
}

const IDS_OF_WALLET = sql`
  select token_id from (${newestIds(MAX_TOKEN_ID, sql<number>`(select page_limit + page_offset from page)`)}) as newest
  order by token_id desc limit ${LIMIT} offset ${OFFSET}`;

/**
 * Returns a query of the newest ids of the wallet below a bound. It returns at least `count` ids, or all if
 * there are fewer, in any order.
 */
function newestIds(bound: RawBuilder<number>, count: RawBuilder<number>): RawBuilder<unknown> {
  const held = sql`
    select token_id from claims
    where burnt_at is null and (address, token_id) < (${ADDRESS}, ${bound}) and (address, token_id) >= (${ADDRESS}, 0)
    order by address desc, token_id desc`;
  // Without a claim status, the newest `count` claimed tokens are enough for a full page. So the allowlist
  // entries of older tokens are not read. An entry is also skipped if the address has claimed its token, even
  // if the claim is burnt.
  return sql`(
    ${held} limit case when ${CLAIM_STATUS} = 'unclaimed' then 0 else ${count} end
  ) union all (
    select a.token_id from allowlist_entries a
    where (a.contributor_key, a.token_id) < (${ADDRESS}, ${bound})
      and (a.contributor_key, a.token_id) >= (
        ${ADDRESS},
        case when ${CLAIM_STATUS} is null then coalesce((${held} limit 1 offset ${count}), 0) else 0 end
      )
      and coalesce(
        (select false from claims c where c.token_id = a.token_id and c.address = ${ADDRESS} limit 1), true
      )
    order by a.contributor_key desc, a.token_id desc
    limit case when ${CLAIM_STATUS} = 'claimed' then 0 else ${count} end
  )`;
}

// Compares the newest ids of the wallet with those of the community, chunk by chunk, in descending order.
// Each chunk of the wallet starts at a token of the community or below it, and each chunk of the community at
// a token of the wallet or below it. So a long run of tokens that only one of them has is skipped. Chunks are
// larger where both have tokens.
//
// In the SQL, `compared.bound` is the last id of the chunk that ends first. The ids down to it are compared.
// A chunk that is not full has no id at the index `w.chunk`, and `greatest` ignores the null. With `offset
// 0`, PostgreSQL computes an array once, and not again for each use.
function idsInCommunity(communityId: string): RawBuilder<unknown> {
  const ofCommunity = (bound: RawBuilder<number>, count: RawBuilder<number>) => {
    const part = (isHidden: boolean) => sql`(
      select token_id from token_list_entries
      where list_id = ${listId('community', communityId)} and is_hidden = ${isHidden} and token_id < ${bound}
      order by token_id desc limit ${count}
    )`;
    return sql`select token_id from (${part(false)} union all ${part(true)}) as newest
      order by token_id desc limit ${count}`;
  };
  const chunk = sql<number>`w.chunk`;
  return sql`
    with recursive walk (bound, chunk, found, token_ids) as (
      select ${MAX_TOKEN_ID}, ${sql.lit(MIN_CHUNK_TOKENS)}, 0::bigint, '{}'::bigint[]
      union all
      select
        next.bound,
        case when shared.token_ids = '{}' then ${sql.lit(MIN_CHUNK_TOKENS)}
             else least(w.chunk * 2, ${sql.lit(MAX_CHUNK_TOKENS)}) end,
        w.found + cardinality(shared.token_ids),
        shared.token_ids
      from walk w
      cross join lateral (
        select array(
          select token_id from (${newestIds(sql`w.bound`, chunk)}) as newest
          order by token_id desc limit ${chunk}
        ) as token_ids offset 0
      ) wallet
      cross join lateral (
        select array(${ofCommunity(sql`wallet.token_ids[1] + 1`, chunk)}) as token_ids offset 0
      ) community
      cross join lateral (
        select array(
          select unnest(wallet.token_ids) intersect select unnest(community.token_ids)
        ) as token_ids offset 0
      ) shared
      cross join lateral (
        select greatest(wallet.token_ids[w.chunk], community.token_ids[w.chunk]) as bound offset 0
      ) compared
      cross join lateral (
        select coalesce(max(token_id), -1) + 1 as bound
        from (${ofCommunity(sql`compared.bound`, sql`1`)}) as newest
      ) next
      where w.bound > 0 and w.found < ${LIMIT} + ${OFFSET}
    )
    select token_id from walk cross join unnest(token_ids) as token_id
    order by token_id desc limit ${LIMIT} offset ${OFFSET}`;
}

import { type RawBuilder, sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { Database } from './database.ts';
import { hiddenFromPlanner, isFarFromStart, readWithTimeout } from './long-lists.ts';
import { listId } from './token-listings.ts';

// Anybody with an API key can add a wallet to any number of allowlists. So a page must read only as many rows of the
// wallet as it needs, whatever plan PostgreSQL chooses and even without statistics. For this reason, look-ups are
// lateral subqueries with a limit, which PostgreSQL executes once per row.

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
}

type ClaimStatus = WalletTokenRow['claim_status'];

interface WalletTokenPage {
  address: Address;
  claimStatus: ClaimStatus | undefined;
  communityId: string | undefined;
  limit: number;
  offset: number;
}

/**
 * A page of the tokens that an address holds, or can claim because an allowlist names it; newest token first.
 * A burnt token is left out: it cannot be claimed again. A page that can take long to read fails with a statement
 * timeout after 1 second.
 */
export async function listWalletTokens(db: Database, page: WalletTokenPage): Promise<WalletTokenRow[]> {
  return await readWithTimeout(db, canTakeLong(page), (tx) =>
    selectTokens(tx, page.address, idsOfPage(page)),
  );
}

/** The ids of a page of `listWalletTokens`. */
export async function listWalletTokenIds(db: Database, page: WalletTokenPage): Promise<number[]> {
  const { rows } = await readWithTimeout(db, canTakeLong(page), (tx) =>
    sql<{ token_id: number }>`
      select token_id from unnest(${idsOfPage(page)}) as token_id order by token_id desc`.execute(tx),
  );
  return rows.map((row) => row.token_id);
}

/** Finds tokens that an address has claimed or that an allowlist offers it, newest token first. */
export async function findWalletTokens(
  db: Database,
  address: Address,
  tokenIds: number[],
): Promise<WalletTokenRow[]> {
  return await selectTokens(db, address, sql<number[]>`${tokenIds}::bigint[]`);
}

async function selectTokens(
  db: Database,
  address: Address,
  tokenIds: RawBuilder<number[]>,
): Promise<WalletTokenRow[]> {
  const { rows } = await sql<WalletTokenRow>`
    select t.token_id, t.headline, t.asset_content_type, t.community_id,
           case when c.claimed_at is null then 'unclaimed' else 'claimed' end as claim_status,
           coalesce(c.claimed_at, a.added_at) as created_at
    from unnest(${tokenIds}) as listed (token_id)
    cross join lateral (select * from tokens t where t.token_id = listed.token_id limit 1) t
    left join lateral (
      select claimed_at from claims c where c.token_id = listed.token_id and c.address = ${address} limit 1
    ) c on true
    left join lateral (
      select added_at from allowlist_entries a
      where a.token_id = listed.token_id and a.contributor_key = ${address} limit 1
    ) a on true
    order by t.token_id desc`.execute(db);
  return rows;
}

// To find unclaimed tokens, those that the address has claimed are read and skipped. To find the tokens of a community,
// those of other communities are read and skipped.
function canTakeLong(page: WalletTokenPage): boolean {
  return isFarFromStart(page) || page.claimStatus === 'unclaimed' || page.communityId !== undefined;
}

function idsOfPage(page: WalletTokenPage): RawBuilder<number[]> {
  if (page.communityId !== undefined) return idsInCommunity(page.communityId, page);
  const { limit, offset } = page;
  return sql<number[]>`array(
    select token_id from (${newestIds(page, MAX_TOKEN_ID, hiddenFromPlanner(offset + limit))}) as newest
    order by token_id desc limit ${limit} offset ${offset}
  )`;
}

/**
 * Returns a query of the newest ids below a bound. It returns at least `count` ids, or all if there are fewer, in any
 * order.
 */
function newestIds(
  { address, claimStatus }: WalletTokenPage,
  bound: RawBuilder<number>,
  count: RawBuilder<number>,
): RawBuilder<unknown> {
  const held = sql`
    select token_id from claims
    where burnt_at is null and (address, token_id) < (${address}, ${bound}) and (address, token_id) >= (${address}, 0)
    order by address desc, token_id desc`;
  const unclaimed = (oldest: RawBuilder<number>) => sql`
    select a.token_id from allowlist_entries a
    where (a.contributor_key, a.token_id) < (${address}, ${bound})
      and (a.contributor_key, a.token_id) >= (${address}, ${oldest})
      and octet_length(${address}::bytea) = 20
      and coalesce(
        (select false from claims c where c.token_id = a.token_id and c.address = ${address} limit 1), true
      )
    order by a.contributor_key desc, a.token_id desc limit ${count}`;
  if (claimStatus === 'unclaimed') return unclaimed(sql<number>`0`);
  if (claimStatus === 'claimed') return sql`${held} limit ${count}`;
  // Entries that are older than the newest `count` held tokens cannot be among the newest `count` ids, so they are
  // not read.
  const lastHeld = sql<number>`coalesce((${held} limit 1 offset ${count}), 0)`;
  return sql`(${held} limit ${count}) union all (${unclaimed(lastHeld)})`;
}

// Compares the newest ids of the wallet with those of the community, chunk by chunk. Each chunk of the wallet starts
// at a token of the community, and each chunk of the community at a token of the wallet. So a long run of tokens that
// only one of them has is skipped. Chunks are larger where both have tokens. With `offset 0`, PostgreSQL computes an
// array once, and not again for each use.
function idsInCommunity(communityId: string, page: WalletTokenPage): RawBuilder<number[]> {
  const { limit, offset } = page;
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
  return sql<number[]>`array(
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
          select token_id from (${newestIds(page, sql`w.bound`, chunk)}) as newest
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
      where w.bound > 0 and w.found < ${offset + limit}
    )
    select token_id from walk cross join unnest(token_ids) as token_id
    order by token_id desc limit ${limit} offset ${offset}
  )`;
}

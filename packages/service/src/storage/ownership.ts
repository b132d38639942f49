import type { OwnerState } from '@badge/protocol';
import { type RawBuilder, sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { insertEvents } from './events.ts';
import { hiddenFromPlanner, isFarFromStart, readWithTimeout } from './long-lists.ts';
import { prepared } from './prepared-statements.ts';
import { moveRecipient } from './recipients.ts';
import { isValid, VALID_UNTIL, validUntilOf } from './validity.ts';

/** SQL: the status of the claim `c`, whose token ends then. */
export function ownerStatus(validUntil: RawBuilder<Date | null>): RawBuilder<OwnerState['status']> {
  return sql`(
    case when c.burnt_at is not null then coalesce(c.ending, 'burnt')
      when ${isValid(validUntil)} then 'held' else 'expired' end
  )`;
}

/** SQL: the status of the claim `c`. */
export const OWNER_STATUS = ownerStatus(VALID_UNTIL);

/** What has become of a token that an address has had. */
export interface OwnerRow {
  address: Address;
  status: OwnerState['status'];
  claimed_at: Date;
  status_changed_at: Date;
  /** The address that this one got the token from, if the community moved it. */
  moved_from: Address | null;
  /** When the token ends. Null: never. */
  valid_until: Date | null;
}

/** SQL: the columns of an owner, from the claim `c`. */
function ownerColumns(validUntil: RawBuilder<Date | null>): RawBuilder<unknown> {
  return sql`c.address, ${ownerStatus(validUntil)} as status, c.claimed_at, c.moved_from,
    ${validUntil} as valid_until, ${statusChangedAt(validUntil)} as status_changed_at`;
}

/** SQL: since when the claim `c` has its status. */
export function statusChangedAt(validUntil: RawBuilder<Date | null>): RawBuilder<Date> {
  return sql`coalesce(
    c.burnt_at, case when not ${isValid(validUntil)} then ${validUntil} end, c.status_changed_at, c.claimed_at
  )`;
}

const OWNER = ownerColumns(VALID_UNTIL);

// The same for the owners of one token, whose row is in the CTE `token`.
const VALID_UNTIL_IN_LIST = validUntilOf(sql`token`);
const LISTED_OWNER = ownerColumns(VALID_UNTIL_IN_LIST);
const IS_HELD = sql`(c.burnt_at is null and ${isValid(VALID_UNTIL_IN_LIST)})`;

/** An owner in a list. */
export interface ListedOwnerRow extends OwnerRow {
  /** Whether the service keeps the token for an e-mail. */
  is_kept: boolean;
}

// SQL: the columns of the owners of a page. Only of these, and not of those before the page, it is looked up
// whether the address is a kept one. The limit makes PostgreSQL use the index.
const OWNER_OF_PAGE = sql`page.*, (
  select true from kept_addresses k where k.address = page.address limit 1
) is not null as is_kept`;

/** Finds those of the addresses that have ever had the token, in no particular order. */
export async function findOwners(db: Database, tokenId: number, addresses: Address[]): Promise<OwnerRow[]> {
  const { rows } = await prepared<OwnerRow>`
    select ${OWNER} from unnest((select ${addresses}::bytea[])) as wanted (address)
    cross join lateral (
      select * from claims where token_id = ${tokenId} and address = wanted.address limit 1
    ) c`.execute(db);
  return rows;
}

/** Finds what has become of the token of one address. Undefined if the address has never had it. */
export async function findOwner(
  db: Database,
  tokenId: number,
  address: Address,
): Promise<OwnerRow | undefined> {
  const [row] = await findOwners(db, tokenId, [address]);
  return row;
}

/** Which addresses a list contains: those whose token has this status, or all that have ever had it. */
export type OwnerFilter = OwnerState['status'] | 'all';

/**
 * A page of the addresses that hold a token, in the order of their claims. A page at a large offset fails
 * with a statement timeout if it takes longer than 1 second.
 */
export async function listHolders(
  db: Database,
  tokenId: number,
  page: { limit: number; offset: number },
): Promise<ListedOwnerRow[]> {
  // `(select …)` hides the limit and the offset from the planner. `hiddenFromPlanner` does the same, but it
  // returns a fragment with a parameter, which `prepared` does not allow.
  const query = prepared<ListedOwnerRow>`
    with token as materialized (select valid_until, validity_days from tokens where token_id = ${tokenId})
    select ${OWNER_OF_PAGE} from (
      select ${LISTED_OWNER} from claims c where c.token_id = ${tokenId} and ${IS_HELD}
      order by c.claimed_at, c.address
      limit (select ${page.limit}::bigint) offset (select ${page.offset}::bigint)
    ) page
    order by page.claimed_at, page.address`;
  const { rows } = await readWithTimeout(db, isFarFromStart(page), (tx) => query.execute(tx));
  return rows;
}

/**
 * The addresses that hold a token after the owner `last`, or the first ones, in the order of their claims.
 * Every part of the list costs the same.
 */
export async function listHoldersAfter(
  db: Database,
  tokenId: number,
  last: OwnerRow | undefined,
  limit: number,
): Promise<ListedOwnerRow[]> {
  const { address = null, claimed_at: claimedAt = null } = last ?? {};
  const { rows } = await prepared<ListedOwnerRow>`
    with token as materialized (select valid_until, validity_days from tokens where token_id = ${tokenId})
    select ${OWNER_OF_PAGE} from (
      select ${LISTED_OWNER} from claims c
      where c.token_id = ${tokenId} and ${IS_HELD}
        and (c.claimed_at, c.address) > (coalesce(${claimedAt}::timestamptz, '-infinity'), coalesce(${address}::bytea, ''))
      order by c.claimed_at, c.address
      limit (select ${limit}::bigint)
    ) page
    order by page.claimed_at, page.address`.execute(db);
  return rows;
}

/** `search`: a part of the address, in lower case. Empty: all addresses. */
interface OwnerFilters {
  tokenId: number;
  status: OwnerFilter;
  search: string;
}

/**
 * A page of the addresses that have, or have had, a token, in the order of their claims. If it is filtered by
 * a status or a text, or at a large offset, it fails with a statement timeout if it takes longer than 1
 * second.
 */
export async function listOwners(
  db: Database,
  owners: OwnerFilters & { limit: number; offset: number },
): Promise<ListedOwnerRow[]> {
  const query = selectOwners({ ...owners, last: undefined });
  const isSlow = owners.status !== 'all' || owners.search !== '' || isFarFromStart(owners);
  const { rows } = await readWithTimeout(db, isSlow, (tx) => query.execute(tx));
  return rows;
}

/** The owners of this kind after the owner `last`, or the first ones, in the order of their claims. */
export async function listOwnersAfter(
  db: Database,
  owners: OwnerFilters & { last: OwnerRow | undefined; limit: number },
): Promise<ListedOwnerRow[]> {
  const { rows } = await selectOwners({ ...owners, offset: 0 }).execute(db);
  return rows;
}

// There is an index of the owners who have the token, valid or not, and one of the others. `all` merges them.
function selectOwners(
  owners: OwnerFilters & { last: OwnerRow | undefined; limit: number; offset: number },
): RawBuilder<ListedOwnerRow> {
  const { tokenId, status, search, last, limit, offset } = owners;
  const { address = null, claimed_at: claimedAt = null } = last ?? {};
  const found = search === '' ? sql`` : sql`and position(${search} in '0x' || encode(c.address, 'hex')) > 0`;
  const part = (condition: RawBuilder<unknown>) => sql`(
    select ${LISTED_OWNER} from claims c
    where c.token_id = ${tokenId} and ${condition} ${found}
      and (c.claimed_at, c.address) > (coalesce(${claimedAt}::timestamptz, '-infinity'), coalesce(${address}::bytea, ''))
    order by c.claimed_at, c.address limit ${hiddenFromPlanner(limit + offset)}
  )`;
  const isOf = sql`${ownerStatus(VALID_UNTIL_IN_LIST)} = ${status}`;
  const parts =
    status === 'all'
      ? sql`${part(sql`c.burnt_at is null`)} union all ${part(sql`c.burnt_at is not null`)}`
      : status === 'held' || status === 'expired'
        ? part(sql`c.burnt_at is null and ${isOf}`)
        : part(sql`c.burnt_at is not null and ${isOf}`);
  return sql<ListedOwnerRow>`
    with token as materialized (select valid_until, validity_days from tokens where token_id = ${tokenId})
    select ${OWNER_OF_PAGE} from (
      select * from (${parts}) as owner order by claimed_at, address
      limit ${hiddenFromPlanner(limit)} offset ${hiddenFromPlanner(offset)}
    ) page
    order by page.claimed_at, page.address`;
}

/** How an address loses a token, other than by a move. */
type Ending = 'burnt' | 'revoked';

/** An operation on the token of an address. */
export interface OwnerRequest {
  operationId: string;
  tokenId: number;
  /** In hex, without 0x. */
  address: string;
}

// SQL: the rows of `requests`.
function requested(requests: OwnerRequest[]): RawBuilder<unknown> {
  return sql`
    select r.operation_id, r.token_id, decode(r.address, 'hex') as address, r.position from unnest(
      ${requests.map(({ operationId }) => operationId)}::uuid[], ${requests.map(({ tokenId }) => tokenId)}::bigint[],
      ${requests.map(({ address }) => address)}::text[]
    ) with ordinality as r (operation_id, token_id, address, position)`;
}

/** Ends the claims of requests. Returns the ids of the operations whose address held the token. */
export async function endClaims(
  tx: DatabaseTransaction,
  requests: OwnerRequest[],
  ending: Ending,
): Promise<Set<string>> {
  // `held` locks the claims in the order of their keys, so that two batches cannot deadlock.
  const { rows } = await sql<{ burn_operation_id: string }>`
    with held as materialized (
      select c.token_id, c.address, r.operation_id
      from (${requested(requests)}) r
      join claims c on c.token_id = r.token_id and c.address = r.address
      where c.burnt_at is null
      order by c.token_id, c.address
      for no key update of c
    )
    update claims c set burnt_at = statement_timestamp(), burn_operation_id = h.operation_id,
      ending = ${ending === 'burnt' ? null : ending}
    from held h
    where c.token_id = h.token_id and c.address = h.address
    returning c.burn_operation_id`.execute(tx);
  return new Set(rows.map((row) => row.burn_operation_id));
}

/**
 * Reinstates the revoked claims of requests, which are in the order of acceptance. Returns the ids of the
 * operations whose token was revoked.
 */
export async function reinstateClaims(
  tx: DatabaseTransaction,
  requests: OwnerRequest[],
): Promise<Set<string>> {
  // `distinct on`: if two operations name one claim, the first reinstates it.
  const { rows } = await sql<{ operation_id: string }>`
    with revoked as materialized (
      select c.token_id, c.address, r.operation_id, r.position
      from (${requested(requests)}) r
      join claims c on c.token_id = r.token_id and c.address = r.address
      where c.ending = 'revoked'
      order by c.token_id, c.address
      for no key update of c
    ), first as (
      select distinct on (token_id, address) * from revoked order by token_id, address, position
    )
    update claims c
    set burnt_at = null, burn_operation_id = null, ending = null, status_changed_at = statement_timestamp()
    from first f
    where c.token_id = f.token_id and c.address = f.address
    returning f.operation_id`.execute(tx);
  return new Set(rows.map((row) => row.operation_id));
}

/** A move of a token from one address to another. */
export interface Move {
  operationId: string;
  tokenId: number;
  address: Address;
  toAddress: Address;
}

/** Locks claims, in the order of their keys, so that no burn is settled meanwhile. */
export async function lockClaims(
  tx: DatabaseTransaction,
  claims: { tokenId: number; address: Address }[],
): Promise<void> {
  await sql`
    select from claims c
    where (c.token_id, c.address) in (
      select * from unnest(${claims.map((c) => c.tokenId)}::bigint[], ${claims.map((c) => c.address)}::bytea[])
    )
    order by c.token_id, c.address
    for no key update`.execute(tx);
}

/** Locks the claims of both addresses of moves. */
export async function lockMoves(tx: DatabaseTransaction, moves: Omit<Move, 'operationId'>[]): Promise<void> {
  await lockClaims(
    tx,
    moves.flatMap(({ tokenId, address, toAddress }) => [
      { tokenId, address },
      { tokenId, address: toAddress },
    ]),
  );
}

/**
 * Moves a token. Its time of claim and its end stay, and so do the counts. If the receiver is on the token's
 * allowlist, its entry is used. The token and the claims must be locked. The address must hold the token,
 * and the receiver's claim, if there is one, must have ended by a move of the same token.
 */
export async function moveClaim(tx: DatabaseTransaction, move: Move): Promise<void> {
  const { operationId, tokenId, address, toAddress } = move;
  await sql`
    with given as (
      update claims set burnt_at = statement_timestamp(), burn_operation_id = ${operationId}::uuid, ending = 'moved'
      where token_id = ${tokenId} and address = ${address}
      returning token_id, address, claimed_at, renewed_until, announced_end
    )
    insert into claims
      (token_id, address, contributor_key, operation_id, claimed_at, status_changed_at, moved_from, renewed_until,
       announced_end)
    select g.token_id, ${toAddress}::bytea, (
      select a.contributor_key from allowlist_entries a
      where a.contributor_key = ${toAddress}::bytea and a.token_id = g.token_id
    ), ${operationId}::uuid, g.claimed_at, statement_timestamp(), g.address, g.renewed_until,
      g.announced_end
    from given g
    on conflict (token_id, address) do update
    set burnt_at = null, burn_operation_id = null, ending = null, status_changed_at = excluded.status_changed_at,
      renewed_until = excluded.renewed_until, announced_end = excluded.announced_end`.execute(tx);
  await moveRecipient(tx, move);
}

const RENEWED = insertEvents(
  'badge.renewed',
  sql`jsonb_build_object(
    'operationId', operation_id, 'tokenId', token_id, 'address', encode(address, 'hex'),
    'validUntilTimestamp', (extract(epoch from valid_until) * 1000)::bigint
  )`,
);

/**
 * Lets the token of addresses, which must have it, end at a time, and records an event for each. The token
 * and the claims must be locked.
 */
export async function renewClaims(
  tx: DatabaseTransaction,
  renewal: { operationId: string; tokenId: number; addresses: Address[]; validUntil: Date },
): Promise<void> {
  const { operationId, tokenId, addresses, validUntil } = renewal;
  await sql`
    with token as materialized (
      select community_id, valid_until, validity_days from tokens where token_id = ${tokenId}
    ), written as (
      update claims c set renewed_until = ${validUntil}, status_changed_at = case
        when ${isValid(VALID_UNTIL_IN_LIST)} then c.status_changed_at else statement_timestamp()
      end
      where c.token_id = ${tokenId} and c.address = any(${addresses}::bytea[]) and c.burnt_at is null
      returning c.token_id, c.address, c.renewed_until as valid_until, ${operationId}::uuid as operation_id,
        (select community_id from token) as community_id
    ), announced as ${RENEWED}
    select from written limit 0`.execute(tx);
}

import type { OwnerState } from '@badge/protocol';
import { sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { prepared } from './prepared-statements.ts';
import { moveRecipient } from './recipients.ts';

/** SQL: the status of the claim `c`. */
export const OWNER_STATUS = sql<OwnerState['status']>`(
  case when c.burnt_at is null then 'held' else coalesce(c.ending, 'burnt') end
)`;

/** What has become of a token that an address has had. */
export interface OwnerRow {
  address: Address;
  status: OwnerState['status'];
  claimed_at: Date;
  status_changed_at: Date;
  /** The address that this one got the token from, if the community moved it. */
  moved_from: Address | null;
}

/** Finds those of the addresses that have ever had the token, in no particular order. */
export async function findOwners(db: Database, tokenId: number, addresses: Address[]): Promise<OwnerRow[]> {
  const { rows } = await prepared<OwnerRow>`
    select c.address, ${OWNER_STATUS} as status, c.claimed_at, c.moved_from,
      coalesce(c.burnt_at, c.status_changed_at, c.claimed_at) as status_changed_at
    from unnest((select ${addresses}::bytea[])) as wanted (address)
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

/** How an address loses a token, other than by a move. */
type Ending = 'burnt' | 'revoked';

/**
 * Ends the claims that operations name. Returns the ids of the operations whose address held the token.
 */
export async function endClaims(
  tx: DatabaseTransaction,
  operationIds: string[],
  ending: Ending,
): Promise<Set<string>> {
  // `held` locks the claims in the order of their keys, so that two batches cannot deadlock.
  const { rows } = await sql<{ burn_operation_id: string }>`
    with held as materialized (
      select c.token_id, c.address, o.operation_id
      from operations o
      join claims c
        on c.token_id = (o.request->>'tokenId')::bigint and c.address = decode(o.request->>'address', 'hex')
      where o.operation_id = any(${operationIds}::uuid[]) and c.burnt_at is null
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
 * Reinstates the revoked claims that operations name. Returns the ids of the operations whose token was
 * revoked.
 */
export async function reinstateClaims(tx: DatabaseTransaction, operationIds: string[]): Promise<Set<string>> {
  // `distinct on`: if two operations name one claim, the first reinstates it.
  const { rows } = await sql<{ operation_id: string }>`
    with revoked as materialized (
      select c.token_id, c.address, o.operation_id, o.sequence
      from operations o
      join claims c
        on c.token_id = (o.request->>'tokenId')::bigint and c.address = decode(o.request->>'address', 'hex')
      where o.operation_id = any(${operationIds}::uuid[]) and c.ending = 'revoked'
      order by c.token_id, c.address
      for no key update of c
    ), first as (
      select distinct on (token_id, address) * from revoked order by token_id, address, sequence
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

/**
 * Locks the claims of both addresses of moves, in the order of their keys, so that no burn is settled
 * meanwhile.
 */
export async function lockClaimsOfMoves(tx: DatabaseTransaction, moves: Move[]): Promise<void> {
  const ends = moves.flatMap(({ tokenId, address, toAddress }) => [
    { tokenId, address },
    { tokenId, address: toAddress },
  ]);
  await sql`
    select from claims c
    where (c.token_id, c.address) in (
      select * from unnest(${ends.map((end) => end.tokenId)}::bigint[], ${ends.map((end) => end.address)}::bytea[])
    )
    order by c.token_id, c.address
    for no key update`.execute(tx);
}

/**
 * Moves a token. Its time of claim stays, and so do the counts. If the receiver is on the token's allowlist,
 * its entry is used. The token and the claims must be locked. The address must hold the token, and the
 * receiver's claim, if there is one, must have ended by a move of the same token.
 */
export async function moveClaim(tx: DatabaseTransaction, move: Move): Promise<void> {
  const { operationId, tokenId, address, toAddress } = move;
  await sql`
    with given as (
      update claims set burnt_at = statement_timestamp(), burn_operation_id = ${operationId}::uuid, ending = 'moved'
      where token_id = ${tokenId} and address = ${address}
      returning token_id, address, claimed_at
    )
    insert into claims
      (token_id, address, contributor_key, operation_id, claimed_at, status_changed_at, moved_from)
    select g.token_id, ${toAddress}::bytea, (
      select a.contributor_key from allowlist_entries a
      where a.contributor_key = ${toAddress}::bytea and a.token_id = g.token_id
    ), ${operationId}::uuid, g.claimed_at, statement_timestamp(), g.address
    from given g
    on conflict (token_id, address) do update
    set burnt_at = null, burn_operation_id = null, ending = null, status_changed_at = excluded.status_changed_at`.execute(
    tx,
  );
  await moveRecipient(tx, move);
}

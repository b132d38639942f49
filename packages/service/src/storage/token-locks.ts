import { sql } from 'kysely';
import type { DatabaseTransaction } from './database.ts';
import { prepared } from './prepared-statements.ts';

// Whoever writes something that belongs to a token locks the token until the commit. A replacement takes
// stronger locks, and everything that waits for them continues with the token that has replaced the other
// one.

// The first key of the advisory locks that replacements hold. It can be any fixed number; this one is "Repl"
// in ASCII. The second one is the token, and it does not matter if two tokens have the same.
const REPLACEMENT_LOCK = sql.raw('1382379628');
const MAX_KEY = sql.raw('2147483647');

/**
 * Locks a token against claims, changes of its allowlist and replacements. Returns the token that has
 * replaced it, or null.
 */
export async function lockToken(tx: DatabaseTransaction, tokenId: number): Promise<number | null> {
  const { rows } = await prepared<{ replaced_by_token_id: number | null }>`
    select replaced_by_token_id from tokens where token_id = ${tokenId} for no key update`.execute(tx);
  return rows[0]?.replaced_by_token_id ?? null;
}

/** The same, also against new credentials, which say when the token ends. */
export async function lockTokenAndEnd(tx: DatabaseTransaction, tokenId: number): Promise<number | null> {
  const { rows } = await prepared<{ replaced_by_token_id: number | null }>`
    select replaced_by_token_id from tokens where token_id = ${tokenId} for update`.execute(tx);
  return rows[0]?.replaced_by_token_id ?? null;
}

/** Locks a token, or the one that has replaced it. Returns the id of the locked one. */
export async function lockCurrentToken(tx: DatabaseTransaction, tokenId: number): Promise<number> {
  let current = tokenId;
  // A replacement can be settled while this waits for its lock.
  for (;;) {
    const replacedBy = await lockToken(tx, current);
    if (replacedBy === null) return current;
    current = replacedBy;
  }
}

/**
 * Locks tokens, in the order of their ids, so that two calls cannot deadlock. Returns those of them that are
 * replaced.
 */
export async function lockTokens(tx: DatabaseTransaction, tokenIds: number[]): Promise<number[]> {
  const { rows } = await prepared<{ token_id: number; replaced_by_token_id: number | null }>`
    select token_id, replaced_by_token_id from tokens
    where token_id = any(array(select unnest(${[...new Set(tokenIds)]}::bigint[])))
    order by token_id for no key update`.execute(tx);
  return rows.flatMap((row) => (row.replaced_by_token_id === null ? [] : row.token_id));
}

// SQL: the tokens of requests. One that is replaced stands for the one that has replaced it. Who settles
// other operations does not wait for a replacement, which can take seconds: `free` are the other tokens.
const WANTED = sql`
  select w.token_id, t.token_id is null as is_missing,
    coalesce(t.replaced_by_token_id, w.token_id) as current_id
  from requested w
  left join lateral (
    select token_id, replaced_by_token_id from tokens t where t.token_id = w.token_id limit 1
  ) t on true`;
const FREE = sql`
  select c.current_id from (select distinct current_id from wanted) c
  where pg_try_advisory_xact_lock_shared(${REPLACEMENT_LOCK}, (c.current_id % ${MAX_KEY})::integer)`;
// If a replacement was settled after the statement began, the token is current no more.
const LOCKED = sql`
  select token_id from tokens
  where token_id = any(array(select current_id from free)) and replaced_by_token_id is null
  order by token_id`;
const RESULT = sql`
  select w.token_id, w.current_id from wanted w
  where w.is_missing or exists (select from locked l where l.token_id = w.current_id)`;

interface LockedRow {
  token_id: number;
  current_id: number;
}

/**
 * Locks the tokens of operations that are settled, in the order of their ids, so that batches cannot
 * deadlock. Returns the requests that can be settled now, each with the token that it is about now: if its
 * token was replaced since it was accepted, the one that has replaced it. The others are left for a later
 * batch, because their token is just being replaced. `isShared`: locks only against replacements.
 */
export async function lockTokensOfRequests<Request extends { tokenId: number }>(
  tx: DatabaseTransaction,
  requests: Request[],
  { isShared = false } = {},
): Promise<Request[]> {
  const tokenIds = [...new Set(requests.map(({ tokenId }) => tokenId))];
  const { rows } = await (isShared ? lockShared(tx, tokenIds) : lockExclusively(tx, tokenIds));
  const currentIds = new Map(rows.map((row) => [row.token_id, row.current_id]));
  return requests.flatMap((request) => {
    const tokenId = currentIds.get(request.tokenId);
    return tokenId === undefined ? [] : [{ ...request, tokenId }];
  });
}

function lockExclusively(tx: DatabaseTransaction, tokenIds: number[]) {
  return prepared<LockedRow>`
    with requested as materialized (
      select * from unnest((select ${tokenIds}::bigint[])) as r (token_id)
    ),
    wanted as materialized (${WANTED}), free as materialized (${FREE}),
    locked as materialized (${LOCKED} for no key update)
    ${RESULT}`.execute(tx);
}

function lockShared(tx: DatabaseTransaction, tokenIds: number[]) {
  return prepared<LockedRow>`
    with requested as materialized (
      select * from unnest((select ${tokenIds}::bigint[])) as r (token_id)
    ),
    wanted as materialized (${WANTED}), free as materialized (${FREE}),
    locked as materialized (${LOCKED} for key share)
    ${RESULT}`.execute(tx);
}

/**
 * Locks a token and its replacement against everything that writes what belongs to them. Waits until the
 * batches that are being settled have ended; later ones leave out these tokens.
 */
export async function lockForReplacement(tx: DatabaseTransaction, tokenIds: number[]): Promise<void> {
  for (const tokenId of [...tokenIds].sort((a, b) => a - b)) {
    await sql`
      select pg_advisory_xact_lock(${REPLACEMENT_LOCK}, (${tokenId}::bigint % ${MAX_KEY})::integer)`.execute(
      tx,
    );
  }
  // The tokens that were replaced before by the one that is replaced now change, too.
  await sql`
    select from tokens
    where token_id = any(${tokenIds}::bigint[]) or replaced_by_token_id = any(${tokenIds}::bigint[])
    order by token_id for update`.execute(tx);
}

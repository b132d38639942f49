import { sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { insertEvents } from './events.ts';
import { prepared } from './prepared-statements.ts';
import { validUntilOf } from './validity.ts';

// Each end of an owner's token is announced by one event. `announced_end` of a claim is the last end that
// was. A walk over the owners of a token, in the order of their claims, finds those without a renewal; an
// index has the ends of renewals. Whoever changes a claim or an end holds the lock on the token, and so does
// the walk.

const EXPIRED = insertEvents(
  'badge.expired',
  sql`jsonb_build_object(
    'tokenId', token_id, 'address', encode(address, 'hex'),
    'validUntilTimestamp', (extract(epoch from valid_until) * 1000)::bigint
  )`,
);

/** Makes the expiries of a token due again, because the ends of its owners have changed. */
export async function restartExpiry(tx: DatabaseTransaction, tokenId: number): Promise<void> {
  await sql`
    insert into expiry_turns (token_id, next_at) values (${tokenId}, now())
    on conflict (token_id) do update set next_at = now(), walked_at = '-infinity', walked_address = ''`.execute(
    tx,
  );
}

/** Makes the expiries of a token due at the end of a renewal, if they are not due before. */
export async function addExpiry(tx: DatabaseTransaction, tokenId: number, end: Date): Promise<void> {
  await sql`
    insert into expiry_turns as e (token_id, next_at) values (${tokenId}, ${end})
    on conflict (token_id) do update set next_at = least(e.next_at, excluded.next_at)`.execute(tx);
}

/** Makes the expiries of a replaced token those of its replacement. */
export async function moveExpiry(
  tx: DatabaseTransaction,
  { tokenId, replacementTokenId }: { tokenId: number; replacementTokenId: number },
): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    delete from expiry_turns where token_id in (${tokenId}, ${replacementTokenId})`.execute(tx);
  if (numAffectedRows > 0n) await restartExpiry(tx, replacementTokenId);
}

/**
 * Writes the missing events of those addresses whose token has ended, before something else happens to it.
 * The token must be locked.
 */
export async function announceExpired(
  tx: DatabaseTransaction,
  tokenId: number,
  addresses: Address[],
): Promise<void> {
  await sql`
    with token as materialized (
      select community_id, valid_until, validity_days from tokens where token_id = ${tokenId}
    ), due as materialized (
      select c.token_id, c.address, ${validUntilOf(sql`token`)} as valid_until from claims c
      where c.token_id = ${tokenId} and c.address = any(${addresses}::bytea[]) and c.burnt_at is null
        and ${validUntilOf(sql`token`)} <= now()
        and coalesce(c.announced_end, '-infinity') < ${validUntilOf(sql`token`)}
      order by c.address
      for no key update of c
    ), written as (
      update claims c set announced_end = d.valid_until from due d
      where c.token_id = d.token_id and c.address = d.address
      returning c.token_id, c.address, d.valid_until, (select community_id from token) as community_id
    ), announced as ${EXPIRED}
    select from due`.execute(tx);
}

/** The tokens of which an owner's end may be over, the longest one first. */
export async function listDueTokens(db: Database, limit: number): Promise<number[]> {
  const { rows } = await prepared<{ token_id: number }>`
    select token_id from expiry_turns where next_at <= now() and next_at < 'infinity'
    order by next_at limit ${limit}::bigint`.execute(db);
  return rows.map((row) => row.token_id);
}

interface WalkedRow {
  token_id: number;
  announced: number;
  /** Whether the token may have further owners whose end is over. */
  is_full: boolean;
  walked_at: string;
  walked_address: Buffer;
}

/**
 * Writes the events of owners whose end is over: up to `limit` of those without a renewal, and up to `limit`
 * of the others, of each of the tokens that is due. Then says when each token is due next. The tokens must
 * be locked. Returns how many events were written.
 */
export async function announceNextExpired(
  tx: DatabaseTransaction,
  tokenIds: number[],
  limit: number,
): Promise<number> {
  // The end grows with the time of the claim, so those that are over are before `bound`. A claim that is made
  // after the end of its token is walked a second later: until then, another one can get the same time.
  const { rows } = await sql<WalkedRow>`
    with turn as materialized (
      select e.token_id, e.walked_at, e.walked_address, t.community_id, t.valid_until, t.validity_days,
        case when t.valid_until <= now() then now() - interval '1 second'
          when t.validity_days is not null then now() - t.validity_days * interval '24 hours'
          else '-infinity' end as bound
      from expiry_turns e join tokens t using (token_id)
      where e.token_id = any(${tokenIds}::bigint[]) and e.next_at <= now()
    ), walked as materialized (
      select e.token_id, c.address, c.claimed_at, c.announced_end, c.renewed_until,
        coalesce(e.valid_until, c.claimed_at + e.validity_days * interval '24 hours') as valid_until
      from turn e cross join lateral (
        select c.address, c.claimed_at, c.announced_end, c.renewed_until from claims c
        where c.token_id = e.token_id and c.burnt_at is null
          and (c.claimed_at, c.address) > (e.walked_at, e.walked_address) and c.claimed_at <= e.bound
        order by c.claimed_at, c.address limit ${limit}::bigint
      ) c
    ), renewed as materialized (
      select e.token_id, c.address, c.renewed_until as valid_until
      from turn e cross join lateral (
        select c.address, c.renewed_until from claims c
        where c.token_id = e.token_id and c.burnt_at is null and c.renewed_until <= now()
          and (c.announced_end is null or c.announced_end < c.renewed_until)
        order by c.renewed_until limit ${limit}::bigint
      ) c
    ), due as materialized (
      select token_id, address, valid_until from walked
      where renewed_until is null and coalesce(announced_end, '-infinity') < valid_until
      union all
      select token_id, address, valid_until from renewed
    ), locked as materialized (
      select c.token_id, c.address, d.valid_until from due d join claims c using (token_id, address)
      where c.burnt_at is null
      order by c.token_id, c.address
      for no key update of c
    ), changed as (
      update claims c set announced_end = l.valid_until from locked l
      where c.token_id = l.token_id and c.address = l.address
      returning c.token_id, c.address, l.valid_until
    ), written as (
      select c.*, e.community_id from changed c join turn e using (token_id) order by valid_until, token_id, address
    ), announced as ${EXPIRED}
    select e.token_id, (select count(*) from locked l where l.token_id = e.token_id) as announced,
      (select count(*) from walked w where w.token_id = e.token_id) = ${limit}::bigint
        or (select count(*) from renewed r where r.token_id = e.token_id) = ${limit}::bigint as is_full,
      coalesce(last.claimed_at, e.walked_at)::text as walked_at,
      coalesce(last.address, e.walked_address) as walked_address
    from turn e left join lateral (
      select claimed_at, address from walked w where w.token_id = e.token_id
      order by claimed_at desc, address desc limit 1
    ) last on true`.execute(tx);
  await setNextTimes(tx, rows);
  return rows.reduce((sum, { announced }) => sum + announced, 0);
}

// A token that has further owners whose end is over lets others go before it.
async function setNextTimes(tx: DatabaseTransaction, walked: WalkedRow[]): Promise<void> {
  await sql`
    update expiry_turns e set walked_at = w.walked_at, walked_address = w.walked_address,
      next_at = case when w.is_full then now() else least(
        case
          when t.valid_until > now() then t.valid_until
          when t.valid_until is not null then case when next.claimed_at is not null then now() + interval '1 second' end
          when t.validity_days is not null then
            coalesce(next.claimed_at, now()) + t.validity_days * interval '24 hours'
        end,
        (
          select c.renewed_until from claims c
          where c.token_id = e.token_id and c.burnt_at is null and c.renewed_until is not null
            and (c.announced_end is null or c.announced_end < c.renewed_until)
          order by c.renewed_until limit 1
        ),
        'infinity'
      ) end
    from unnest(
      ${walked.map((row) => row.token_id)}::bigint[], ${walked.map((row) => row.is_full)}::boolean[],
      ${walked.map((row) => row.walked_at)}::timestamptz[], ${walked.map((row) => row.walked_address)}::bytea[]
    ) as w (token_id, is_full, walked_at, walked_address)
    join tokens t using (token_id)
    left join lateral (
      select c.claimed_at from claims c
      where c.token_id = w.token_id and c.burnt_at is null
        and (c.claimed_at, c.address) > (w.walked_at, w.walked_address)
      order by c.claimed_at, c.address limit 1
    ) next on true
    where e.token_id = w.token_id`.execute(tx);
}

import { sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { Database } from './database.ts';
import { prepared } from './prepared-statements.ts';

// A name is shown for a day. It is looked up again earlier, so that it does not disappear from pages that are
// read often.
const IS_SHOWN = sql<boolean>`looked_up_at > now() - interval '24 hours'`;
const IS_OLD = sql<boolean>`(looked_up_at is null or looked_up_at < now() - interval '12 hours')`;
const LEASE_SECONDS = sql.lit(60);
const UNWANTED_DAYS = sql.lit(7);

/** The primary name of an address, which was looked up in the last 24 hours. */
export interface NamedAddress {
  address: Address;
  name: string | null;
}

/**
 * Finds the names of addresses. Also notes those that are to be looked up, if the service knows the address.
 */
export async function findEnsNames(db: Database, addresses: Address[]): Promise<NamedAddress[]> {
  const { rows } = await prepared<NamedAddress & { is_shown: boolean; is_old: boolean }>`
    select n.address, n.name, coalesce(${IS_SHOWN}, false) as is_shown,
           ${IS_OLD} and coalesce(n.wanted_at <= n.looked_up_at, false) as is_old
    from unnest((select ${addresses}::bytea[])) as a (address)
    cross join lateral (select * from ens_names n where n.address = a.address limit 1) n`.execute(db);
  const known = new Map(rows.map((row) => [row.address.toString('hex'), row]));
  const wanted = addresses.filter((address) => known.get(address.toString('hex'))?.is_old ?? true);
  if (wanted.length > 0) await wantNames(db, wanted);
  return rows.flatMap(({ address, name, is_shown }) => (is_shown ? [{ address, name }] : []));
}

// Only for addresses that hold a token, are on an allowlist or are members, so that nobody can let the
// service look up any number of addresses. The order avoids deadlocks.
async function wantNames(db: Database, addresses: Address[]): Promise<void> {
  await prepared`
    insert into ens_names (address)
    select distinct a.address from unnest((select ${addresses}::bytea[])) as a (address)
    where (select true from claims c where c.address = a.address and c.burnt_at is null limit 1)
      or (select true from allowlist_entries e where e.contributor_key = a.address limit 1)
      or (select true from members m where m.address = a.address limit 1)
    order by a.address
    on conflict (address) do update set wanted_at = now()`.execute(db);
}

/**
 * Takes addresses that are to be looked up, those first that never were. Another process does not get them
 * for a minute.
 */
export async function takeUnnamedAddresses(db: Database, limit: number): Promise<Address[]> {
  const { rows } = await sql<{ address: Address }>`
    update ens_names set leased_until = now() + ${LEASE_SECONDS} * interval '1 second'
    where address = any(array(
      select address from ens_names
      where ${IS_OLD} and (looked_up_at is null or wanted_at > looked_up_at)
        and (leased_until is null or leased_until < now())
      order by looked_up_at nulls first limit ${limit}
      for update skip locked
    ))
    returning address`.execute(db);
  return rows.map((row) => row.address);
}

/** Stores what was found for addresses. */
export async function recordEnsNames(db: Database, names: NamedAddress[]): Promise<void> {
  await sql`
    update ens_names n set name = found.name, looked_up_at = now(), leased_until = null
    from unnest(${names.map(({ address }) => address)}::bytea[], ${names.map(({ name }) => name)}::text[])
      as found (address, name)
    where n.address = found.address`.execute(db);
}

/** Deletes up to `limit` names that nobody has wanted for a week. Returns their number. */
export async function deleteUnwantedNames(db: Database, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from ens_names where address = any(array(
      select address from ens_names where wanted_at < now() - ${UNWANTED_DAYS} * interval '1 day'
      limit ${limit} for update skip locked
    ))
    returning address`.execute(db);
  return rows.length;
}

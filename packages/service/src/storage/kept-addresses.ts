import { sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { Database } from './database.ts';

export interface KeptAddress {
  address: Address;
  communityId: string;
  /** The keyed hash of the e-mail. */
  emailHash: Buffer;
}

/**
 * Records the kept addresses of e-mails in communities, unless one is recorded. Returns the recorded ones, in
 * the same order. One differs if it follows from another seed.
 */
export async function recordKeptAddresses(db: Database, kept: KeptAddress[]): Promise<Address[]> {
  const communityIds = kept.map(({ communityId }) => communityId);
  const emailHashes = kept.map(({ emailHash }) => emailHash);
  // In the order of the addresses, so that two transactions cannot deadlock.
  await sql`
    insert into kept_addresses (address, community_id, email_hash)
    select * from unnest(
      ${kept.map(({ address }) => address)}::bytea[], ${communityIds}::text[], ${emailHashes}::bytea[]
    ) as k (address, community_id, email_hash)
    order by k.address
    on conflict do nothing`.execute(db);
  // A statement of its own, because only a later one sees what somebody else has recorded meanwhile.
  const { rows } = await sql<{ address: Address }>`
    select k.address from unnest(${communityIds}::text[], ${emailHashes}::bytea[])
      with ordinality as wanted (community_id, email_hash, position)
    cross join lateral (
      select address from kept_addresses k
      where k.email_hash = wanted.email_hash and k.community_id = wanted.community_id limit 1
    ) k
    order by wanted.position`.execute(db);
  if (rows.length !== kept.length) throw new Error('an address is kept for another e-mail or community');
  return rows.map(({ address }) => address);
}

/** The kept addresses of an e-mail, in the order of the ids of their communities. */
export async function listKeptAddressesOf(
  db: Database,
  emailHash: Buffer,
): Promise<Omit<KeptAddress, 'emailHash'>[]> {
  const { rows } = await sql<Omit<KeptAddress, 'emailHash'>>`
    select address, community_id as "communityId" from kept_addresses
    where email_hash = ${emailHash} order by community_id`.execute(db);
  return rows;
}

/** Counts the kept addresses, and returns the `limit` oldest and the `limit` newest ones. */
export async function readKeptAddressesToCheck(
  db: Database,
  limit: number,
): Promise<{ count: number; checked: KeptAddress[] }> {
  const { rows: checked } = await sql<KeptAddress>`
    (select address, community_id as "communityId", email_hash as "emailHash" from kept_addresses
     order by created_at, address limit ${limit})
    union
    (select address, community_id, email_hash from kept_addresses
     order by created_at desc, address desc limit ${limit})`.execute(db);
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from kept_addresses`.execute(db);
  return { count: rows[0]?.count ?? 0, checked };
}

/** Those of the kept addresses of an e-mail that have a badge now: up to `limit`. */
export async function listOwningAddressesOf(
  db: Database,
  emailHash: Buffer,
  limit: number,
): Promise<{ address: Address; communityId: string }[]> {
  const { rows } = await sql<{ address: Address; communityId: string }>`
    select address, community_id as "communityId" from kept_addresses k
    where email_hash = ${emailHash} and (
      select true from claims c where c.burnt_at is null and c.address = k.address limit 1
    )
    order by community_id limit ${limit}`.execute(db);
  return rows;
}

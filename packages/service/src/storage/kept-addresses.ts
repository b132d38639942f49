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
 * Records the kept address of an e-mail in a community, unless one is recorded. Returns the recorded one,
 * which differs if it follows from another seed.
 */
export async function recordKeptAddress(db: Database, kept: KeptAddress): Promise<Address> {
  await sql`
    insert into kept_addresses (address, community_id, email_hash)
    values (${kept.address}, ${kept.communityId}, ${kept.emailHash})
    on conflict do nothing`.execute(db);
  // A statement of its own, because only a later one sees what somebody else has recorded meanwhile.
  const { rows } = await sql<{ address: Address }>`
    select address from kept_addresses
    where email_hash = ${kept.emailHash} and community_id = ${kept.communityId}`.execute(db);
  if (rows[0] === undefined) throw new Error('the address is kept for another e-mail or community');
  return rows[0].address;
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

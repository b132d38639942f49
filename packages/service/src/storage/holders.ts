import { sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { Database } from './database.ts';
import { countsOnChain } from './rights.ts';
import type { SessionHolder } from './sessions.ts';

/** What somebody with an e-mail has chosen. */
export interface Holder {
  /** The number that the next consent to move badges must contain. */
  moveNonce: number;
  /** The wallet to which later badges go; null if they are kept. */
  defaultAddress: Address | null;
}

export async function readHolder(db: Database, emailHash: Buffer): Promise<Holder> {
  const { rows } = await sql<Holder>`
    select move_nonce as "moveNonce", default_address as "defaultAddress" from holders
    where email_hash = ${emailHash}`.execute(db);
  return rows[0] ?? { moveNonce: 0, defaultAddress: null };
}

/** Later badges of an e-mail are kept again. */
export async function removeDefaultAddress(db: Database, emailHash: Buffer): Promise<void> {
  await sql`update holders set default_address = null where email_hash = ${emailHash}`.execute(db);
}

/**
 * The address at which a session has the tokens of a community. Undefined if none is kept there, and if the
 * session of a contract wallet does not count in the community.
 */
export async function findAddressOf(
  db: Database,
  session: SessionHolder,
  communityId: string,
): Promise<Address | undefined> {
  const query =
    'emailHash' in session
      ? sql<{ address: Address }>`
          select address from kept_addresses
          where email_hash = ${session.emailHash} and community_id = ${communityId}`
      : sql<{ address: Address }>`
          select ${session.address}::bytea as address
          where ${countsOnChain(sql`${session.walletChainId}::bigint`, sql`${communityId}`)}`;
  const { rows } = await query.execute(db);
  return rows[0]?.address;
}

/** A token, as an address has it. */
export interface TokenOfAddress {
  tokenId: number;
  address: Address;
}

/** Hides a token of an address from pages. Returns false if the address does not have it. */
export async function hideToken(db: Database, { tokenId, address }: TokenOfAddress): Promise<boolean> {
  const { rows } = await sql<{ is_held: boolean }>`
    with held as materialized (
      select token_id, address from claims
      where token_id = ${tokenId} and address = ${address} and burnt_at is null
    ), hidden as (
      insert into hidden_tokens (token_id, address) select token_id, address from held
      on conflict do nothing
    )
    select exists (select from held) as is_held`.execute(db);
  return rows[0]?.is_held === true;
}

/** Shows a token of an address again. */
export async function showToken(db: Database, { tokenId, address }: TokenOfAddress): Promise<void> {
  await sql`delete from hidden_tokens where token_id = ${tokenId} and address = ${address}`.execute(db);
}

/** A community, and the address that refuses its badges. */
export interface CommunityOfAddress {
  communityId: string;
  address: Address;
}

export async function refuseCommunity(
  db: Database,
  { communityId, address }: CommunityOfAddress,
): Promise<void> {
  await sql`
    insert into refused_communities (address, community_id) values (${address}, ${communityId})
    on conflict do nothing`.execute(db);
}

export async function acceptCommunity(
  db: Database,
  { communityId, address }: CommunityOfAddress,
): Promise<void> {
  await sql`
    delete from refused_communities where address = ${address} and community_id = ${communityId}`.execute(db);
}

/** Whether an address takes no token of this community that others give. */
export async function isRefused(db: Database, { tokenId, address }: TokenOfAddress): Promise<boolean> {
  const { rows } = await sql<{ is_refused: boolean }>`
    select exists (
      select from tokens t join refused_communities r using (community_id)
      where t.token_id = ${tokenId} and r.address = ${address}
    ) as is_refused`.execute(db);
  return rows[0]?.is_refused === true;
}

/** The communities that somebody refuses, with their names, in the order of their ids. */
export async function listRefusedCommunities(
  db: Database,
  session: SessionHolder,
  page: { limit: number; offset: number },
): Promise<{ communityId: string; name: string }[]> {
  const addresses =
    'emailHash' in session
      ? sql`select address from kept_addresses where email_hash = ${session.emailHash}`
      : sql`select ${session.address}::bytea`;
  const { rows } = await sql<{ communityId: string; name: string }>`
    select c.community_id as "communityId", c.name from refused_communities r join communities c using (community_id)
    where r.address in (${addresses})
    order by c.community_id limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

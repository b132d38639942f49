import type { Role } from '@badge/protocol';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type Address, toChecksumAddress } from '../signatures/address.ts';
import { revokeKeysAbove } from './api-keys.ts';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { prepared } from './prepared-statements.ts';
import { countsOnChain, mayStillWrite } from './rights.ts';
import type { Tables } from './schema.ts';
import { stopWebhooksOf } from './webhooks.ts';

export interface MemberKey {
  communityId: string;
  address: Address;
}

/** An address that has signed in, and the chain of its contract wallet; null if its key has signed. */
export interface SignedInAddress {
  address: Address;
  walletChainId: number | null;
}

export type MemberRow = Pick<Selectable<Tables['members']>, 'address' | 'role' | 'added_at'>;

const IS_ON_WANTED_CHAIN = countsOnChain(sql`wanted.wallet_chain_id`, sql`wanted.community_id`);

/**
 * Returns the role of each address in its community, in the same order; null for who is not a member there.
 */
export async function findMemberRoles(
  db: Database,
  keys: (MemberKey & SignedInAddress)[],
): Promise<(Role | null)[]> {
  const { rows } = await prepared<{ position: number; role: Role }>`
    select wanted.position, m.role
    from unnest(
      (select ${keys.map((key) => key.communityId)}::text[]), (select ${keys.map((key) => key.address)}::bytea[]),
      (select ${keys.map((key) => key.walletChainId)}::bigint[])
    ) with ordinality as wanted (community_id, address, wallet_chain_id, position)
    cross join lateral (
      select * from members m where m.community_id = wanted.community_id and m.address = wanted.address limit 1
    ) m
    where ${IS_ON_WANTED_CHAIN}`.execute(db);
  const byPosition = new Map(rows.map((row) => [row.position, row.role]));
  return keys.map((_, index) => byPosition.get(index + 1) ?? null);
}

/** A page of the community's members, the oldest first. */
export async function listMembers(
  db: Database,
  page: { communityId: string; limit: number; offset: number },
): Promise<MemberRow[]> {
  return await db
    .selectFrom('members')
    .select(['address', 'role', 'added_at'])
    .where('community_id', '=', page.communityId)
    .orderBy('sequence')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

/**
 * The communities of which an address is a member, with their names and its roles, in the order of the ids.
 */
export async function listMemberships(
  db: Database,
  { address, walletChainId }: SignedInAddress,
  limit: number,
): Promise<{ community_id: string; name: string; role: Role }[]> {
  return await db
    .selectFrom('members')
    .innerJoin('communities', 'communities.community_id', 'members.community_id')
    .select(['members.community_id', 'communities.name', 'members.role'])
    .where('members.address', '=', address)
    .where(countsOnChain(sql`${walletChainId}::bigint`, sql.ref('members.community_id')))
    .orderBy('members.community_id')
    .limit(limit)
    .execute();
}

/** The role of an address in a community, and how many members and owners the community has. */
export async function readMemberState(
  db: Database,
  { communityId, address }: MemberKey,
): Promise<{ role: Role | null; memberCount: number; ownerCount: number }> {
  const { rows } = await sql<{ role: Role | null; member_count: number; owner_count: number }>`
    select max(role) filter (where address = ${address}) as role, count(*) as member_count,
           count(*) filter (where role = 'owner') as owner_count
    from members where community_id = ${communityId}`.execute(db);
  const [state] = rows;
  if (state === undefined) throw new Error('an aggregate returned no row');
  return { role: state.role, memberCount: state.member_count, ownerCount: state.owner_count };
}

/**
 * SQL: the CTEs that end what members of the query `members` have made and may no longer make with `role`, or
 * as non-members: their keys, unless the actor keeps them, and their webhooks.
 */
function endWhatTheyMade(
  actor: Actor,
  members: RawBuilder<unknown>,
  { role, keepsApiKeys }: { role: Role | null; keepsApiKeys: boolean },
): RawBuilder<unknown> {
  const revoked = revokeKeysAbove(role, members, keepsApiKeys ? actor : undefined);
  // Only owners make webhooks.
  const former = sql`(select * from ${members} as m where ${role !== 'owner'})`;
  return sql`
    revoked as ${revoked},
    revoked_recorded as ${insertAuditEntries(actor, keepsApiKeys ? 'keepApiKey' : 'revokeApiKey', 'revoked')},
    stopped as ${stopWebhooksOf(former)},
    stopped_recorded as ${insertAuditEntries(actor, 'disableWebhook', 'stopped')}`;
}

/**
 * Adds a member, or gives a member another role. Ends what it has made and may no longer make. Returns
 * undefined, and changes nothing, if the actor has lost its right. The caller must have locked the community.
 */
export async function setMember(
  tx: DatabaseTransaction,
  actor: Actor,
  { communityId, address, role, keepsApiKeys }: MemberKey & { role: Role; keepsApiKeys: boolean },
): Promise<MemberRow | undefined> {
  const isOwner = role === 'owner';
  const { rows } = await sql<MemberRow>`
    with written as (
      insert into members (community_id, address, role)
      select ${communityId}::text, ${address}::bytea, ${role}::text
      where ${mayStillWrite(actor, sql`${communityId}::text`)}
      on conflict (community_id, address) do update set role = excluded.role
      returning community_id, address, role, added_at, ${toChecksumAddress(address)}::text as checksum_address
    ), owners as (
      update communities c set admin_addresses =
        case when ${isOwner} then c.admin_addresses || w.address else array_remove(c.admin_addresses, w.address) end
      from written w
      where c.community_id = w.community_id and (w.address = any(c.admin_addresses)) <> ${isOwner}
    ), recorded as ${insertAuditEntries(actor, 'setMember')},
    ${endWhatTheyMade(actor, sql`written`, { role, keepsApiKeys })}
    select address, role, added_at from written`.execute(tx);
  return rows[0];
}

/**
 * Removes a member, and ends what it has made. Returns false, and changes nothing, if the actor has lost its
 * right. The caller must have locked the community.
 */
export async function removeMember(
  tx: DatabaseTransaction,
  actor: Actor,
  { communityId, address, keepsApiKeys }: MemberKey & { keepsApiKeys: boolean },
): Promise<boolean> {
  const { rows } = await sql`
    with written as (
      delete from members
      where community_id = ${communityId} and address = ${address} and ${mayStillWrite(actor, sql.ref('community_id'))}
      returning community_id, address, ${toChecksumAddress(address)}::text as checksum_address
    ), owners as (
      update communities c set admin_addresses = array_remove(c.admin_addresses, w.address)
      from written w where c.community_id = w.community_id and w.address = any(c.admin_addresses)
    ), recorded as ${insertAuditEntries(actor, 'removeMember')},
    ${endWhatTheyMade(actor, sql`written`, { role: null, keepsApiKeys })}
    select from written`.execute(tx);
  return rows.length > 0;
}

import { ROLES } from '@badge/protocol';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Address } from '../signatures/address.ts';
import type { Actor } from './audit-log.ts';
import type { Database } from './database.ts';

/** Why a caller may no longer write: its key or session has ended, or its role is too low. */
export type LostRight = 'apiKeyInvalid' | 'sessionInvalid' | 'roleTooLow';

/** SQL: whether the row `k` of api_keys is neither revoked nor expired, by the database's clock. */
export const IS_API_KEY_VALID = sql<boolean>`k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`;

/** SQL: whether the row `s` of sessions is neither ended nor expired. */
export const IS_SESSION_VALID = sql<boolean>`s.ended_at is null and s.expires_at > now()`;

/** SQL: the chain of the contract wallet that has signed in with the session `s`; null if a key has. */
export const WALLET_CHAIN_ID = sql<number | null>`(s.evidence->>'chainId')::bigint`;

/**
 * SQL: whether the session of an address counts in a community. On another chain, the address of a contract
 * wallet can be that of somebody else. So its session counts only if the contract wallets of the community
 * are on the same chain.
 */
export function countsOnChain(
  walletChainId: RawBuilder<unknown>,
  communityId: RawBuilder<unknown>,
): RawBuilder<SqlBool> {
  return sql`(${walletChainId} is null or ${walletChainId} = (
    select coalesce(on_chain.contract_wallet_chain_id, (select chain_id from deployment))
    from communities on_chain where on_chain.community_id = ${communityId}
  ))`;
}

/** SQL: the rank of a role, from 1. Null for null. */
export function rankOf(role: RawBuilder<unknown>): RawBuilder<number | null> {
  return sql`array_position(array[${sql.join(ROLES.map((name) => sql.lit(name)))}], ${role})`;
}

interface WrittenRequest {
  apiKeyId: RawBuilder<unknown>;
  sessionId: RawBuilder<unknown>;
  neededRole: RawBuilder<unknown>;
  communityId: RawBuilder<unknown>;
}

/**
 * SQL: 'held' if the key or the session of a request still has the needed role in the community, otherwise
 * why not. Every statement that writes for a caller checks this, because the right can be lost while the
 * request waits. A request without a key and a session has a proof of its own, or is the operator's.
 */
export function rightOf(request: WrittenRequest): RawBuilder<'held' | LostRight> {
  const { apiKeyId, sessionId, neededRole, communityId } = request;
  const check = (role: RawBuilder<unknown>) =>
    sql`case when ${rankOf(role)} >= ${rankOf(neededRole)} then 'held' else 'roleTooLow' end`;
  // `communityId` is evaluated in a query of its own: in the queries below, a column without a table would be
  // that of api_keys or members.
  return sql`(select case
    when ${apiKeyId} is not null then coalesce((
      select ${check(sql`case when k.community_id = written_to.id then k.role end`)}
      from api_keys k where k.api_key_id = ${apiKeyId} and ${IS_API_KEY_VALID}
    ), 'apiKeyInvalid')
    when ${sessionId} is not null then coalesce((
      select ${check(sql`m.role`)}
      from sessions s left join members m on m.address = s.address and m.community_id = written_to.id
        and ${countsOnChain(WALLET_CHAIN_ID, sql`written_to.id`)}
      where s.session_id = ${sessionId} and ${IS_SESSION_VALID}
    ), 'sessionInvalid')
    else 'held'
  end from (values (${communityId})) as written_to (id))`;
}

/**
 * SQL: whether the actor still may write in the community, as `rightOf` says. `communityId` is a column or a
 * value.
 */
export function mayStillWrite(actor: Actor, communityId: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql`(${rightOfActor(actor, communityId)} = 'held')`;
}

/**
 * SQL: the member behind the session or the key of the actor: what it makes ends when this member leaves. A
 * key that was created with another key belongs to the member who created that one. Null: the operator, or
 * unknown.
 */
export function memberBehind({ session, apiKeyId }: Actor): RawBuilder<Address | null> {
  return sql`coalesce(
    ${session?.address ?? null}::bytea, (select created_by from api_keys where api_key_id = ${apiKeyId}::uuid)
  )`;
}

/** Returns the member behind the session or the key of the actor; null: the operator, or unknown. */
export async function findMemberBehind(db: Database, actor: Actor): Promise<Address | null> {
  const { rows } = await sql<{ address: Address | null }>`select ${memberBehind(actor)} as address`.execute(
    db,
  );
  return rows[0]?.address ?? null;
}

/** Returns why the actor may not write in the community now; null if it may. */
export async function findLostRight(
  db: Database,
  actor: Actor,
  communityId: string,
): Promise<LostRight | null> {
  const { rows } = await sql<{ right: 'held' | LostRight }>`
    select ${rightOfActor(actor, sql`${communityId}::text`)} as right`.execute(db);
  const right = rows[0]?.right ?? 'roleTooLow';
  return right === 'held' ? null : right;
}

function rightOfActor(
  { apiKeyId, session, neededRole }: Actor,
  communityId: RawBuilder<unknown>,
): RawBuilder<'held' | LostRight> {
  return rightOf({
    apiKeyId: sql`${apiKeyId}::uuid`,
    sessionId: sql`${session?.sessionId ?? null}::uuid`,
    neededRole: sql`${neededRole ?? null}::text`,
    communityId,
  });
}

import { randomUUID } from 'node:crypto';
import type { Role } from '@badge/protocol';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { prepared } from './prepared-statements.ts';
import { IS_API_KEY_VALID, mayStillWrite, memberBehind, rankOf } from './rights.ts';
import type { Tables } from './schema.ts';

export interface ValidApiKey {
  apiKeyId: string;
  communityId: string;
  role: Role;
}

/**
 * Returns the API key of each SHA-256 hash, in the same order; null if the key is unknown, expired or
 * revoked.
 */
export async function findValidApiKeys(db: Database, hashes: Buffer[]): Promise<(ValidApiKey | null)[]> {
  const { rows } = await prepared<{ api_key_id: string; community_id: string; role: Role; key_hash: Buffer }>`
    select k.api_key_id, k.community_id, k.role, k.key_hash
    from unnest((select ${hashes}::bytea[])) as presented (key_hash)
    cross join lateral (select * from api_keys k where k.key_hash = presented.key_hash limit 1) k
    where ${IS_API_KEY_VALID}`.execute(db);
  const byHash = new Map(
    rows.map((row) => [
      row.key_hash.toString('hex'),
      { apiKeyId: row.api_key_id, communityId: row.community_id, role: row.role },
    ]),
  );
  return hashes.map((hash) => byHash.get(hash.toString('hex')) ?? null);
}

export type ApiKeyRow = Omit<Selectable<Tables['api_keys']>, 'key_hash'>;

const COLUMNS = [
  'api_key_id',
  'community_id',
  'prefix',
  'name',
  'created_at',
  'expires_at',
  'revoked_at',
  'role',
  'created_by',
] as const;

/**
 * Adds a key. Returns undefined, and changes nothing, if its hash is already stored, even for a revoked key,
 * or if the actor has lost its right. The caller must have locked the community, so that a member that loses
 * its role meanwhile also loses this key.
 */
export async function insertApiKey(
  db: Database,
  actor: Actor,
  key: {
    communityId: string;
    hash: Buffer;
    prefix: string;
    name: string;
    expiresAt: Date | null;
    role?: Role;
  },
): Promise<ApiKeyRow | undefined> {
  const { communityId, hash, prefix, name, expiresAt, role = 'editor' } = key;
  const { rows } = await sql<ApiKeyRow>`
    with written as (
      insert into api_keys (api_key_id, community_id, key_hash, prefix, name, expires_at, role, created_by)
      select ${randomUUID()}::uuid, ${communityId}::text, ${hash}::bytea, ${prefix}::text, ${name}::text,
             ${expiresAt}::timestamptz, ${role}::text,
             ${memberBehind(actor)}
      where ${mayStillWrite(actor, sql`${communityId}::text`)}
      on conflict (key_hash) do nothing
      returning ${sql.join(COLUMNS.map((column) => sql.ref(column)))}
    ), recorded as ${insertAuditEntries(actor, 'createApiKey')}
    select * from written`.execute(db);
  return rows[0];
}

/** A page of the community's keys that are not revoked, oldest first. Expired keys are included. */
export async function listUnrevokedApiKeys(
  db: Database,
  page: { communityId: string; limit: number; offset: number },
): Promise<ApiKeyRow[]> {
  return await db
    .selectFrom('api_keys')
    .select(COLUMNS)
    .where('community_id', '=', page.communityId)
    .where('revoked_at', 'is', null)
    .orderBy('created_at')
    .orderBy('api_key_id')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

/**
 * Revokes a key of the community. Returns false if there is no such key, if it is already revoked, or if the
 * actor has lost its right. The caller must have locked the community.
 */
export async function revokeApiKey(
  tx: DatabaseTransaction,
  actor: Actor,
  key: { communityId: string; apiKeyId: string },
): Promise<boolean> {
  const revoked = await tx
    .with('written', (query) =>
      query
        .updateTable('api_keys')
        .set({ revoked_at: sql<Date>`now()` })
        .where('api_key_id', '=', key.apiKeyId)
        .where('community_id', '=', key.communityId)
        .where('revoked_at', 'is', null)
        .where(mayStillWrite(actor, sql.ref('community_id')))
        .returning(['community_id', 'api_key_id']),
    )
    .with('recorded', () => insertAuditEntries(actor, 'revokeApiKey'))
    .selectFrom('written')
    .select('api_key_id')
    .executeTakeFirst();
  return revoked !== undefined;
}

/**
 * SQL: a CTE that revokes the keys above `role` that were created by members of the query `members`, who
 * have only this role from now on; null: all their keys. With `keeper`, the keys stay, and belong to the
 * member behind this actor. A statement that adds it as `revoked` also records its rows.
 */
export function revokeKeysAbove(
  role: Role | null,
  members: RawBuilder<unknown>,
  keeper?: Actor,
): RawBuilder<object> {
  const change = keeper === undefined ? sql`revoked_at = now()` : sql`created_by = ${memberBehind(keeper)}`;
  return sql`(
    update api_keys k set ${change} from ${members} as m
    where k.community_id = m.community_id and k.created_by = m.address and k.revoked_at is null
      and ${rankOf(sql`k.role`)} > coalesce(${rankOf(sql`${role}::text`)}, 0)
    returning k.community_id, k.api_key_id
  )`;
}

import { randomUUID } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { Database } from './database.ts';
import { prepared } from './prepared-statements.ts';
import type { Tables } from './schema.ts';

/** SQL: whether the row `k` of api_keys is neither revoked nor expired, by the database's clock. */
export const IS_API_KEY_VALID = sql<boolean>`k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`;

export interface ValidApiKey {
  apiKeyId: string;
  communityId: string;
}

/** Returns the API key of each SHA-256 hash, in the same order; null if the key is unknown, expired or revoked. */
export async function findValidApiKeys(db: Database, hashes: Buffer[]): Promise<(ValidApiKey | null)[]> {
  const { rows } = await prepared<{ api_key_id: string; community_id: string; key_hash: Buffer }>`
    select k.api_key_id, k.community_id, k.key_hash
    from unnest((select ${hashes}::bytea[])) as presented (key_hash)
    cross join lateral (select * from api_keys k where k.key_hash = presented.key_hash limit 1) k
    where ${IS_API_KEY_VALID}`.execute(db);
  const byHash = new Map(
    rows.map((row) => [
      row.key_hash.toString('hex'),
      { apiKeyId: row.api_key_id, communityId: row.community_id },
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
] as const;

/** Adds a key. Returns undefined, and changes nothing, if its hash is already stored, even for a revoked key. */
export async function insertApiKey(
  db: Database,
  actor: Actor,
  key: { communityId: string; hash: Buffer; prefix: string; name: string; expiresAt: Date | null },
): Promise<ApiKeyRow | undefined> {
  return await db
    .with('written', (query) =>
      query
        .insertInto('api_keys')
        .values({
          api_key_id: randomUUID(),
          community_id: key.communityId,
          key_hash: key.hash,
          prefix: key.prefix,
          name: key.name,
          expires_at: key.expiresAt,
          revoked_at: null,
        })
        .onConflict((conflict) => conflict.column('key_hash').doNothing())
        .returning(COLUMNS),
    )
    .with('recorded', () => insertAuditEntries(actor, 'createApiKey'))
    .selectFrom('written')
    .selectAll()
    .executeTakeFirst();
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

/** Revokes a key of the community. Returns false if there is no such key or it is already revoked. */
export async function revokeApiKey(
  db: Database,
  actor: Actor,
  key: { communityId: string; apiKeyId: string },
): Promise<boolean> {
  const revoked = await db
    .with('written', (query) =>
      query
        .updateTable('api_keys')
        .set({ revoked_at: sql<Date>`now()` })
        .where('api_key_id', '=', key.apiKeyId)
        .where('community_id', '=', key.communityId)
        .where('revoked_at', 'is', null)
        .returning(['community_id', 'api_key_id']),
    )
    .with('recorded', () => insertAuditEntries(actor, 'revokeApiKey'))
    .selectFrom('written')
    .select('api_key_id')
    .executeTakeFirst();
  return revoked !== undefined;
}

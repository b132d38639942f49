import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from './database.ts';

export interface ValidApiKey {
  apiKeyId: string;
  communityId: string;
}

/** For each SHA-256 hash, its key if it is known, not expired (by the database's clock) and not revoked. */
export async function findValidApiKeys(db: Database, hashes: Buffer[]): Promise<(ValidApiKey | null)[]> {
  const { rows } = await sql<{ api_key_id: string; community_id: string; key_hash: Buffer }>`
    select api_key_id, community_id, key_hash from api_keys
    where key_hash = any(${hashes}::bytea[])
      and revoked_at is null and (expires_at is null or expires_at > now())`.execute(db);
  const byHash = new Map(
    rows.map((row) => [
      row.key_hash.toString('hex'),
      { apiKeyId: row.api_key_id, communityId: row.community_id },
    ]),
  );
  return hashes.map((hash) => byHash.get(hash.toString('hex')) ?? null);
}

/** Adds a key; one that is already there, revoked or not, stays as it is. */
export async function insertApiKey(
  db: Database,
  key: { communityId: string; hash: Buffer; prefix: string; name: string },
): Promise<void> {
  await db
    .insertInto('api_keys')
    .values({
      api_key_id: randomUUID(),
      community_id: key.communityId,
      key_hash: key.hash,
      prefix: key.prefix,
      name: key.name,
      expires_at: null,
      revoked_at: null,
    })
    .onConflict((conflict) => conflict.column('key_hash').doNothing())
    .execute();
}

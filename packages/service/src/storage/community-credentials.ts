import { sql } from 'kysely';
import { readWithCursor } from './archive.ts';
import type { CredentialState, OwnedToken } from './credentials.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { VALID_UNTIL } from './validity.ts';

// The credentials of everybody who has a badge of a community, for its archive.

const OWNERS_AT_ONCE = 500;
// A credential of many results has some kilobytes.
const CREDENTIALS_AT_ONCE = 64;

/** SQL: the claims `c` of a community that have not ended. */
const heldIn = (communityId: string) =>
  sql`c.burnt_at is null and c.token_id in (select token_id from tokens where community_id = ${communityId})`;

/** SQL: whether the credential `k` says the end of the claim `c`. */
const IS_CURRENT = sql`
  k.token_id = c.token_id and k.address = c.address and k.revoked_at is null
  and coalesce(k.valid_until, 'infinity') = coalesce(${VALID_UNTIL}, 'infinity')`;

/** Counts who has a badge of a community, up to `max`. */
export async function countHeld(db: Database, communityId: string, max: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (select from claims c where ${heldIn(communityId)} limit ${max}) held`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** Reads who has a badge of a community and no credential that says its end. */
export function readOwnersWithoutCredential(
  tx: DatabaseTransaction,
  communityId: string,
): AsyncGenerator<OwnedToken[]> {
  return readWithCursor(
    tx,
    sql<OwnedToken>`
      select c.token_id as "tokenId", c.address from claims c
      where ${heldIn(communityId)} and not exists (select from credentials k where ${IS_CURRENT})
      order by c.token_id, c.address`,
    () => OWNERS_AT_ONCE,
  );
}

/** The credential of somebody who has a badge. */
export type HeldCredentialRow = OwnedToken & { claimed_at: Date } & NonNullable<
    CredentialState['credential']
  >;

/** Reads the credentials of everybody who has a badge of a community, by token and address. */
export function readHeldCredentials(
  tx: DatabaseTransaction,
  communityId: string,
): AsyncGenerator<HeldCredentialRow[]> {
  return readWithCursor(
    tx,
    sql<HeldCredentialRow>`
      select c.token_id as "tokenId", c.address, c.claimed_at, k.credential_id, k.created_at, k.status_index,
        k.valid_until, l.base_url || '/' || l.list_id as list_url, l.generation, i.public_key
      from claims c
      join credentials k on ${IS_CURRENT}
      join status_lists l using (list_id)
      join issuer_keys i on i.community_id = l.community_id and i.generation = l.generation
      where ${heldIn(communityId)}
      order by c.token_id, c.address`,
    () => CREDENTIALS_AT_ONCE,
  );
}

/** The ids of the status lists of a community whose keys were not replaced, oldest first. */
export async function findStatusListIds(db: Database, communityId: string): Promise<string[]> {
  const { rows } = await sql<{ list_id: string }>`
    select l.list_id from status_lists l join issuer_keys i using (community_id, generation)
    where l.community_id = ${communityId} and i.replaced_at is null
    order by l.created_at, l.list_id`.execute(db);
  return rows.map((row) => row.list_id);
}

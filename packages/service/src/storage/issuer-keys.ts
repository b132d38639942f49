import { sql } from 'kysely';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { prepared } from './prepared-statements.ts';
import { mayStillWrite } from './rights.ts';

export interface IssuerKeyRow {
  community_id: string;
  generation: number;
  public_key: Buffer;
  created_at: Date;
}

/**
 * A page of the keys of a community whose seed was not replaced, the newest first. The first of all is the
 * current one.
 */
export async function findIssuerKeys(
  db: Database,
  communityId: string,
  { limit, offset }: { limit: number; offset: number } = { limit: 1, offset: 0 },
): Promise<IssuerKeyRow[]> {
  const { rows } = await prepared<IssuerKeyRow>`
    select community_id, generation, public_key, created_at from issuer_keys
    where community_id = ${communityId} and replaced_at is null order by generation desc
    limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

/**
 * Counts the rotations of the last day, up to `max`. Also returns in how many seconds the oldest of them is
 * older than a day.
 */
export async function countRotationsOfDay(
  db: Database,
  communityId: string,
  max: number,
): Promise<{ count: number; secondsLeft: number }> {
  const { rows } = await sql<{ count: number; seconds_left: number | null }>`
    select count(*)::integer as count,
      extract(epoch from min(created_at) + interval '1 day' - now())::double precision as seconds_left
    from (
      select created_at from issuer_keys
      where community_id = ${communityId} and generation > 1 and created_at > now() - interval '1 day'
      order by generation desc limit ${max}
    ) newest`.execute(db);
  return { count: rows[0]?.count ?? 0, secondsLeft: rows[0]?.seconds_left ?? 0 };
}

/** Records the first key of a community, unless it has one. */
export async function insertFirstIssuerKey(
  db: Database,
  { communityId, publicKey }: { communityId: string; publicKey: Buffer },
): Promise<void> {
  await sql`
    insert into issuer_keys (community_id, generation, public_key) values (${communityId}, 1, ${publicKey})
    on conflict do nothing`.execute(db);
}

/**
 * Records the next key of a community. Undefined if the actor has lost its right. The community must be
 * locked, and `generation` must be the next one.
 */
export async function insertIssuerKey(
  tx: DatabaseTransaction,
  actor: Actor,
  key: { communityId: string; generation: number; publicKey: Buffer },
): Promise<IssuerKeyRow | undefined> {
  const { rows } = await sql<IssuerKeyRow>`
    with written as (
      insert into issuer_keys (community_id, generation, public_key)
      select ${key.communityId}, ${key.generation}::integer, ${key.publicKey}::bytea
      where ${mayStillWrite(actor, sql`${key.communityId}::text`)}
      returning *
    ), recorded as ${insertAuditEntries(actor, 'rotateIssuerKey')}
    select community_id, generation, public_key, created_at from written`.execute(tx);
  return rows[0];
}

/**
 * Says that the seed of all older keys of a community was replaced. Waits for whoever is recording
 * credentials of these keys, so that the next statement sees them. Afterwards nobody records more.
 */
export async function replaceOlderIssuerKeys(
  tx: DatabaseTransaction,
  { communityId, generation }: { communityId: string; generation: number },
): Promise<void> {
  await sql`
    update issuer_keys set replaced_at = statement_timestamp()
    where community_id = ${communityId} and generation < ${generation} and replaced_at is null`.execute(tx);
}

/** All keys of all communities whose seed was not replaced, the newest of each community first. */
export async function listIssuerKeys(
  db: Database,
): Promise<{ communityId: string; generation: number; publicKey: Buffer }[]> {
  const { rows } = await sql<{ communityId: string; generation: number; publicKey: Buffer }>`
    select community_id as "communityId", generation, public_key as "publicKey" from issuer_keys
    where replaced_at is null order by community_id, generation desc`.execute(db);
  return rows;
}

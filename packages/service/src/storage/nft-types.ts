import { type Selectable, sql } from 'kysely';
import { type Actor, insertAuditEntries } from './audit-log.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import { findLostRight, type LostRight, mayStillWrite } from './rights.ts';
import type { Tables } from './schema.ts';
import { storedBytesOf } from './stored-bytes.ts';

export type NftTypeRow = Pick<Selectable<Tables['nft_types']>, 'nft_type_id' | 'name'> & {
  asset_id: string;
  content_type: string;
};

export interface NewNftType {
  communityId: string;
  nftTypeId: string;
  name: string;
  alias: string | null;
  assetId: string;
}

/** A page of the community's own types that are not deleted, newest first. */
export async function listNftTypes(
  db: Database,
  communityId: string,
  page: { limit: number; offset: number },
): Promise<NftTypeRow[]> {
  return await db
    .selectFrom('nft_types')
    .innerJoin('assets', 'assets.asset_id', 'nft_types.asset_id')
    .select(['nft_type_id', 'name', 'assets.asset_id', 'content_type'])
    .where('community_id', '=', communityId)
    .where('deleted_at', 'is', null)
    .orderBy('sequence', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

/** Finds one of the community's own types. Also finds a deleted type, as long as its asset is stored. */
export async function findNftType(
  db: Database,
  communityId: string,
  nftTypeId: string,
): Promise<{ content_type: string; is_deleted: boolean } | undefined> {
  return await db
    .selectFrom('nft_types')
    .innerJoin('assets', 'assets.asset_id', 'nft_types.asset_id')
    .select([
      'content_type',
      ({ eb }) => eb('deleted_at', 'is not', null).$castTo<boolean>().as('is_deleted'),
    ])
    .where('community_id', '=', communityId)
    .where('nft_type_id', '=', nftTypeId)
    .executeTakeFirst();
}

/** Why a type cannot be added. */
export type NftTypeObstacle =
  /** The caller has lost its right. */
  | LostRight
  /** A type has this id. It may be a deleted type. */
  | 'exists'
  /** The community has too many types. */
  | 'limitReached'
  /** The file does not fit into the community's quota. */
  | 'quotaReached'
  /** Too many bytes of the community's files were removed recently. */
  | 'removedTooManyBytes';

export interface NftTypeLimits {
  maxNftTypes: number;
  /**
   * The limit for the total size of the community's assets, including those of deleted types, and of its
   * claim links. The same limit applies to the total size of the assets that were removed in the last ten
   * minutes.
   */
  quotaBytes: number;
}

// How long a removed asset counts. By then, PostgreSQL has usually vacuumed the table, so new assets can use
// the disk space of removed ones.
const REMOVED_ASSETS_MINUTES = 10;

/** Returns why the type cannot be added; null if it can. */
export async function findNftTypeObstacle(
  db: Database,
  actor: Actor,
  { communityId, nftTypeId, sizeBytes }: { communityId: string; nftTypeId: string; sizeBytes: number },
  { maxNftTypes, quotaBytes }: NftTypeLimits,
): Promise<NftTypeObstacle | null> {
  const lostRight = await findLostRight(db, actor, communityId);
  if (lostRight !== null) return lostRight;
  const { rows } = await sql<{
    is_taken: boolean;
    type_count: number;
    stored_bytes: number;
    removed_bytes: number;
  }>`
    select exists (
             select from nft_types
             where community_id = ${communityId} and nft_type_id = ${nftTypeId}
           ) as is_taken,
           (
             select count(*) from nft_types where community_id = ${communityId} and deleted_at is null
           ) as type_count,
           ${storedBytesOf(communityId)} as stored_bytes,
           (
             select coalesce(sum(removed_bytes), 0)::bigint from nft_types
             where community_id = ${communityId}
               and removed_at > now() - make_interval(mins => ${REMOVED_ASSETS_MINUTES})
           ) as removed_bytes`.execute(db);
  const [found] = rows;
  if (found === undefined) throw new Error('a query without a table returned no row');
  if (found.is_taken) return 'exists';
  if (found.type_count >= maxNftTypes) return 'limitReached';
  if (found.stored_bytes + sizeBytes > quotaBytes) return 'quotaReached';
  return found.removed_bytes >= quotaBytes ? 'removedTooManyBytes' : null;
}

/** Adds a type. Returns false, and changes nothing, if the actor has lost its right. */
export async function insertNftType(
  tx: DatabaseTransaction,
  actor: Actor,
  { communityId, nftTypeId, name, alias, assetId }: NewNftType,
): Promise<boolean> {
  const { rows } = await sql`
    with written as (
      insert into nft_types (community_id, nft_type_id, name, alias, asset_id)
      select ${communityId}::text, ${nftTypeId}::text, ${name}::text, ${alias}::text, ${assetId}::uuid
      where ${mayStillWrite(actor, sql`${communityId}::text`)}
      returning community_id, nft_type_id
    ), recorded as ${insertAuditEntries(actor, 'createNftType')}
    select from written`.execute(tx);
  return rows.length > 0;
}

/**
 * Locks one of the community's own types, so that no operation with it is accepted before the transaction
 * ends.
 */
export async function lockNftType(
  tx: DatabaseTransaction,
  { communityId, nftTypeId }: Pick<NewNftType, 'communityId' | 'nftTypeId'>,
): Promise<void> {
  await tx
    .selectFrom('nft_types')
    .select('nft_type_id')
    .where('community_id', '=', communityId)
    .where('nft_type_id', '=', nftTypeId)
    .forUpdate()
    .execute();
}

/**
 * Locks the deleted type with the lowest `sequence` above `afterSequence` whose asset may be unused. Skips
 * types that another transaction has locked.
 */
export async function lockNextDeletedNftType(
  tx: DatabaseTransaction,
  afterSequence: number,
): Promise<{ communityId: string; nftTypeId: string; sequence: number } | undefined> {
  const row = await tx
    .selectFrom('nft_types')
    .select(['community_id', 'nft_type_id', 'sequence'])
    .where('deleted_at', 'is not', null)
    .where('asset_id', 'is not', null)
    .where((eb) => eb.not('is_asset_kept'))
    .where('sequence', '>', afterSequence)
    .orderBy('sequence')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row && { communityId: row.community_id, nftTypeId: row.nft_type_id, sequence: row.sequence };
}

/**
 * Marks one of the community's own types as deleted. Returns false if there is no such type, if it is
 * deleted, or if the actor has lost its right. The caller must have locked the type.
 */
export async function deleteNftType(
  tx: DatabaseTransaction,
  actor: Actor,
  { communityId, nftTypeId }: Pick<NewNftType, 'communityId' | 'nftTypeId'>,
): Promise<boolean> {
  const deleted = await tx
    .with('written', (query) =>
      query
        .updateTable('nft_types')
        .set({ deleted_at: sql<Date>`now()` })
        .where('community_id', '=', communityId)
        .where('nft_type_id', '=', nftTypeId)
        .where('deleted_at', 'is', null)
        .where(mayStillWrite(actor, sql.ref('community_id')))
        .returning(['community_id', 'nft_type_id']),
    )
    .with('recorded', () => insertAuditEntries(actor, 'deleteNftType'))
    .selectFrom('written')
    .select('nft_type_id')
    .executeTakeFirst();
  return deleted !== undefined;
}

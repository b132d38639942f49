import { type Selectable, sql } from 'kysely';
import { IS_KEY_VALID } from './api-keys.ts';
import { type Actor, recordWritten } from './audit-log.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import type { Tables } from './schema.ts';

export type NftTypeRow = Pick<Selectable<Tables['nft_types']>, 'nft_type_id' | 'name' | 'asset_id'> & {
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

/** Finds one of the community's own types, deleted or not. */
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

/** Why a type cannot be added: the key is no longer valid, the id is or was taken, or there are too many types. */
export type NftTypeObstacle = 'apiKeyInvalid' | 'exists' | 'limitReached';

/** Returns why the type cannot be added, or null. */
export async function findNftTypeObstacle(
  db: Database,
  nftType: Pick<NewNftType, 'communityId' | 'nftTypeId'>,
  { apiKeyId, maxNftTypes }: { apiKeyId: string | null; maxNftTypes: number },
): Promise<NftTypeObstacle | null> {
  const { rows } = await sql<{ is_key_valid: boolean; is_taken: boolean; nft_types: number }>`
    select ${apiKeyId}::uuid is null or exists (
             select from api_keys k
             where k.api_key_id = ${apiKeyId}::uuid and ${IS_KEY_VALID}
           ) as is_key_valid,
           exists (
             select from nft_types
             where community_id = ${nftType.communityId} and nft_type_id = ${nftType.nftTypeId}
           ) as is_taken,
           (
             select count(*) from nft_types where community_id = ${nftType.communityId} and deleted_at is null
           ) as nft_types`.execute(db);
  const found = rows[0];
  if (found?.is_key_valid !== true) return 'apiKeyInvalid';
  if (found.is_taken) return 'exists';
  return found.nft_types >= maxNftTypes ? 'limitReached' : null;
}

/** Serializes the transactions that add types to a community, without blocking its tokens. */
export async function lockNftTypes(tx: DatabaseTransaction, communityId: string): Promise<void> {
  await tx
    .selectFrom('communities')
    .select('community_id')
    .where('community_id', '=', communityId)
    .forNoKeyUpdate()
    .execute();
}

export async function insertNftType(
  tx: DatabaseTransaction,
  actor: Actor,
  nftType: NewNftType,
): Promise<void> {
  await tx
    .with('written', (query) =>
      query
        .insertInto('nft_types')
        .values({
          community_id: nftType.communityId,
          nft_type_id: nftType.nftTypeId,
          name: nftType.name,
          alias: nftType.alias,
          asset_id: nftType.assetId,
          deleted_at: null,
        })
        .returning(['community_id', 'nft_type_id']),
    )
    .with('recorded', () => recordWritten(actor, 'createNftType'))
    .selectFrom('written')
    .select('nft_type_id')
    .execute();
}

/** Marks one of the community's own types as deleted; false if there is none. */
export async function deleteNftType(
  db: Database,
  actor: Actor,
  { communityId, nftTypeId }: Pick<NewNftType, 'communityId' | 'nftTypeId'>,
): Promise<boolean> {
  const deleted = await db
    .with('written', (query) =>
      query
        .updateTable('nft_types')
        .set({ deleted_at: sql<Date>`now()` })
        .where('community_id', '=', communityId)
        .where('nft_type_id', '=', nftTypeId)
        .where('deleted_at', 'is', null)
        .returning(['community_id', 'nft_type_id']),
    )
    .with('recorded', () => recordWritten(actor, 'deleteNftType'))
    .selectFrom('written')
    .select('nft_type_id')
    .executeTakeFirst();
  return deleted !== undefined;
}

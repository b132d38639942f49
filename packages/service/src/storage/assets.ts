import { type Selectable, sql } from 'kysely';
import type { Database, DatabaseTransaction } from './database.ts';
import type { Tables } from './schema.ts';

export type AssetRow = Omit<Selectable<Tables['assets']>, 'created_at'>;

/** How much of a file is in memory, and goes to the database or comes from it, at once. */
export const PIECE_BYTES = 256 * 1024;

export interface NewAsset {
  assetId: string;
  contentType: string;
  sizeBytes: number;
  /** SHA-256. */
  hash: Buffer;
  /** The content, each but the last of `PIECE_BYTES`. */
  pieces: AsyncIterable<Buffer>;
}

/** Writes an asset piece by piece; all of it is there with the transaction, or none. */
export async function insertAsset(tx: DatabaseTransaction, asset: NewAsset): Promise<void> {
  await tx
    .insertInto('assets')
    .values({
      asset_id: asset.assetId,
      content_type: asset.contentType,
      size_bytes: asset.sizeBytes,
      piece_bytes: PIECE_BYTES,
      content_hash: asset.hash,
    })
    .execute();
  let piece = 0;
  for await (const bytes of asset.pieces) {
    await tx.insertInto('asset_pieces').values({ asset_id: asset.assetId, piece, bytes }).execute();
    piece += 1;
  }
}

const COLUMNS = ['asset_id', 'content_type', 'size_bytes', 'piece_bytes', 'content_hash'] as const;

/** An asset, with the name of the NFT type that it was uploaded for. */
export async function findAsset(
  db: Database,
  assetId: string,
): Promise<(AssetRow & { nft_type_name: string }) | undefined> {
  return await db
    .selectFrom('assets')
    .innerJoin('nft_types', 'nft_types.asset_id', 'assets.asset_id')
    .select(['assets.asset_id', 'content_type', 'size_bytes', 'piece_bytes', 'content_hash'])
    .select('nft_types.name as nft_type_name')
    .where('assets.asset_id', '=', assetId)
    .executeTakeFirst();
}

/** The asset of an NFT type, deleted or not. */
export async function findNftTypeAsset(
  db: Database,
  communityId: string,
  nftTypeId: string,
): Promise<AssetRow | undefined> {
  return await db
    .selectFrom('assets')
    .select(COLUMNS)
    .where('asset_id', '=', ({ selectFrom }) =>
      selectFrom('nft_types')
        .select('asset_id')
        .where('community_id', '=', communityId)
        .where('nft_type_id', '=', nftTypeId),
    )
    .executeTakeFirst();
}

/**
 * The bytes of an asset from `start` to `end`, `end` excluded. Each piece is a query of its own, so that a
 * slow reader holds no connection; an asset never changes.
 */
export async function* readAsset(
  db: Database,
  asset: Pick<AssetRow, 'asset_id' | 'piece_bytes'>,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const piece = Math.floor(at / asset.piece_bytes);
    const from = at - piece * asset.piece_bytes;
    const length = Math.min(asset.piece_bytes - from, end - at);
    const { rows } = await sql<{ bytes: Buffer }>`
      select substring(bytes from ${from + 1}::integer for ${length}::integer) as bytes from asset_pieces
      where asset_id = ${asset.asset_id} and piece = ${piece}`.execute(db);
    const bytes = rows[0]?.bytes;
    if (bytes?.length !== length) throw new Error(`asset ${asset.asset_id} lacks bytes of piece ${piece}`);
    yield bytes;
    at += length;
  }
}

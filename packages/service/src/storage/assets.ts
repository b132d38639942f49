import { type Selectable, sql } from 'kysely';
import type { Database, DatabaseTransaction } from './database.ts';
import type { Tables } from './schema.ts';

export type AssetRow = Omit<Selectable<Tables['assets']>, 'created_at'>;

/** Files are written and read in pieces of this size, so that a whole file is never in memory. */
export const PIECE_BYTES = 256 * 1024;

export interface NewAsset {
  assetId: string;
  contentType: string;
  sizeBytes: number;
  /** SHA-256. */
  hash: Buffer;
  /** The content in pieces of `PIECE_BYTES`; the last may be shorter. */
  pieces: AsyncIterable<Buffer>;
}

/** Writes an asset piece by piece. */
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
    await insertAssetPiece(tx, { assetId: asset.assetId, piece, bytes });
    piece += 1;
  }
}

export async function insertAssetPiece(
  tx: DatabaseTransaction,
  { assetId, piece, bytes }: { assetId: string; piece: number; bytes: Buffer },
): Promise<void> {
  await tx.insertInto('asset_pieces').values({ asset_id: assetId, piece, bytes }).execute();
}

/** Finds an asset, and the name of its NFT type. */
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

/**
 * Deletes the asset of a deleted NFT type if neither a token nor an unfinished operation uses it. The caller
 * must have locked the NFT type in an earlier statement of the transaction, so that no operation with it is
 * accepted meanwhile.
 */
export async function deleteAssetIfUnused(
  tx: DatabaseTransaction,
  { communityId, nftTypeId }: { communityId: string; nftTypeId: string },
): Promise<void> {
  // One statement looks for both uses, because two statements could miss an operation that becomes a token
  // between them. The conditions on content types let PostgreSQL use the indexes of migration 0007.
  const { rows } = await sql<{
    asset_id: string;
    size_bytes: number;
    is_used_by_token: boolean;
    is_used_by_operation: boolean;
  }>`
    select asset_id, size_bytes,
           exists (
             select from tokens t
             where t.community_id = n.community_id and t.nft_type_id = n.nft_type_id
               and t.asset_content_type is not null
           ) as is_used_by_token,
           exists (
             select from operations o
             where o.community_id = n.community_id and o.request ->> 'nftTypeId' = n.nft_type_id
               and o.status in ('pending', 'processing') and o.operation_type = 'createToken'
               and o.request ->> 'assetContentType' is not null
           ) as is_used_by_operation
    from nft_types n join assets using (asset_id)
    where community_id = ${communityId} and nft_type_id = ${nftTypeId}
      and deleted_at is not null and not is_asset_kept`.execute(tx);
  const [found] = rows;
  if (found === undefined) return;
  const update = tx
    .updateTable('nft_types')
    .where('community_id', '=', communityId)
    .where('nft_type_id', '=', nftTypeId);
  // The service deletes no tokens, so an asset that a token uses is kept forever, and is not checked again.
  if (found.is_used_by_token) {
    await update.set({ is_asset_kept: true }).execute();
    return;
  }
  if (found.is_used_by_operation) return;
  await update
    .set({ asset_id: null, removed_bytes: found.size_bytes, removed_at: sql<Date>`now()` })
    .execute();
  await tx.deleteFrom('assets').where('asset_id', '=', found.asset_id).execute();
}

/** Finds the asset of an NFT type, even if the type is deleted. */
export async function findNftTypeAsset(
  db: Database,
  communityId: string,
  nftTypeId: string,
): Promise<AssetRow | undefined> {
  return await db
    .selectFrom('assets')
    .select(['asset_id', 'content_type', 'size_bytes', 'piece_bytes', 'content_hash'])
    .where('asset_id', '=', ({ selectFrom }) =>
      selectFrom('nft_types')
        .select('asset_id')
        .where('community_id', '=', communityId)
        .where('nft_type_id', '=', nftTypeId),
    )
    .executeTakeFirst();
}

/** Reads a whole asset into a buffer of its own. */
export async function readWholeAsset(db: Database, assetId: string): Promise<Uint8Array<ArrayBuffer>> {
  const asset = await db
    .selectFrom('assets')
    .select(['asset_id', 'size_bytes', 'piece_bytes'])
    .where('asset_id', '=', assetId)
    .executeTakeFirst();
  if (asset === undefined) throw new Error(`there is no asset ${assetId}`);
  const bytes = new Uint8Array(asset.size_bytes);
  let position = 0;
  for await (const piece of readAsset(db, asset, { start: 0, end: asset.size_bytes })) {
    bytes.set(piece, position);
    position += piece.length;
  }
  return bytes;
}

/**
 * Reads the bytes of an asset from `start` (inclusive) to `end` (exclusive). Each piece is a separate query,
 * so that a slow client does not hold a database connection. The pieces fit together, because assets never
 * change.
 */
export async function* readAsset(
  db: Database,
  asset: Pick<AssetRow, 'asset_id' | 'piece_bytes'>,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Buffer> {
  for (let position = start; position < end; ) {
    const piece = Math.floor(position / asset.piece_bytes);
    const from = position - piece * asset.piece_bytes;
    const length = Math.min(asset.piece_bytes - from, end - position);
    const { rows } = await sql<{ bytes: Buffer }>`
      select substring(bytes from ${from + 1}::integer for ${length}::integer) as bytes from asset_pieces
      where asset_id = ${asset.asset_id} and piece = ${piece}`.execute(db);
    const bytes = rows[0]?.bytes;
    if (bytes?.length !== length) throw new Error(`asset ${asset.asset_id} has an incomplete piece ${piece}`);
    yield bytes;
    position += length;
  }
}

/** Reads the pieces of an asset as they are stored, one after the other. */
export async function* readAssetPieces(db: Database, assetId: string): AsyncGenerator<Buffer> {
  for (let piece = 0; ; piece += 1) {
    const row = await db
      .selectFrom('asset_pieces')
      .select('bytes')
      .where('asset_id', '=', assetId)
      .where('piece', '=', piece)
      .executeTakeFirst();
    if (row === undefined) return;
    yield row.bytes;
  }
}

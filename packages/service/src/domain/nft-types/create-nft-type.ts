import { randomUUID } from 'node:crypto';
import { type AddedNftType, LIMITS, type NftTypeFields } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { insertAsset, PIECE_BYTES } from '../../storage/assets.ts';
import {
  findNftTypeObstacle,
  insertNftType,
  lockNftTypes,
  type NftTypeObstacle,
} from '../../storage/nft-types.ts';
import { type Caller, toActor } from '../caller.ts';
import { checkNoErrors, Refusal } from '../refusal.ts';
import { findPixelErrors, isBuiltIn } from './rules.ts';
import { HEADER_BYTES, toAssetHeader } from './to-asset-header.ts';
import { toNftType } from './to-nft-type.ts';

/** An uploaded file, whole, outside the database. */
export interface UploadedFile {
  sizeBytes: number;
  /** SHA-256. */
  hash: Buffer;
  /** Fewer bytes than `length` only at the end. */
  read(position: number, length: number): Promise<Buffer>;
}

/** Adds an NFT type to a community that the caller may act for; its fields are well-formed by their schema. */
export async function createNftType(
  context: Context,
  caller: Caller,
  communityId: string,
  { fields, file }: { fields: NftTypeFields; file: UploadedFile },
): Promise<AddedNftType> {
  const contentType = await identify(file);
  const nftType = {
    communityId,
    nftTypeId: fields.nftTypeId ?? randomUUID(),
    name: fields.name,
    alias: fields.alias || null,
    assetId: randomUUID(),
  };
  if (isBuiltIn(nftType.nftTypeId)) throw obstacleRefusal('exists', nftType.nftTypeId);
  const actor = toActor(caller);
  const bounds = { apiKeyId: actor.apiKeyId, maxNftTypes: LIMITS.nftTypes };
  const { assetId } = nftType;

  // Twice: a refusal that is clear already costs no writing of the file; the second look is the exact one.
  const obstacle =
    (await findNftTypeObstacle(context.database, nftType, bounds)) ??
    (await context.transaction(async (tx) => {
      const { sizeBytes, hash } = file;
      await insertAsset(tx, { assetId, contentType, sizeBytes, hash, pieces: readPieces(file) });
      await lockNftTypes(tx, communityId);
      const found = await findNftTypeObstacle(tx, nftType, bounds);
      if (found !== null) throw obstacleRefusal(found, nftType.nftTypeId);
      await insertNftType(tx, actor, nftType);
      return null;
    }));
  if (obstacle !== null) throw obstacleRefusal(obstacle, nftType.nftTypeId);
  return toNftType(context.settings, {
    nft_type_id: nftType.nftTypeId,
    name: nftType.name,
    asset_id: assetId,
    content_type: contentType,
  });
}

async function identify(file: UploadedFile): Promise<string> {
  const header = toAssetHeader(await file.read(0, HEADER_BYTES));
  if (header === null) {
    throw new Refusal(
      'UnsupportedMediaType',
      'assetFile must be a JPEG, PNG, GIF, WebP, MP4 or WebM, told by its content.',
    );
  }
  if (header.size !== null) checkNoErrors(findPixelErrors(header.size));
  return header.contentType;
}

async function* readPieces(file: UploadedFile): AsyncGenerator<Buffer> {
  for (let position = 0; position < file.sizeBytes; position += PIECE_BYTES) {
    yield await file.read(position, PIECE_BYTES);
  }
}

function obstacleRefusal(obstacle: NftTypeObstacle, nftTypeId: string): Refusal {
  switch (obstacle) {
    case 'apiKeyInvalid':
      return new Refusal('InvalidApiKey', 'The API key is expired or revoked.');
    case 'exists':
      return new Refusal('NftTypeExists', `The community has, or had, an NFT type ${nftTypeId}.`);
    case 'limitReached':
      return new Refusal(
        'NftTypeLimitReached',
        `The community has added ${LIMITS.nftTypes} NFT types: delete one first.`,
      );
  }
}

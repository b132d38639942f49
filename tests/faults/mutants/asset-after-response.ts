import { dropConstraint, type Mutant } from './mutant.ts';

const INSERT =
  'await insertAsset(tx, { assetId, contentType, sizeBytes, hash, pieces: readPieces(file, PIECE_BYTES) });';

export const ASSET_AFTER_RESPONSE: Mutant = {
  name: 'asset after response',
  defect: 'The asset of an NFT type is stored 1 s later than it should be, in a transaction of its own.',
  breaks: 'I8',
  prepareSql: dropConstraint('nft_types', 'FOREIGN KEY (asset_id)%'),
  changes: {
    'domain/nft-types/create-nft-type.ts': [
      [
        INSERT,
        `const bytes = await file.read(0, sizeBytes);
      setTimeout(() => {
        context.transaction(async (later) => {
          await insertAsset(later, { assetId, contentType, sizeBytes, hash, pieces: [bytes] });
        }).catch(() => undefined);
      }, 1_000);`,
      ],
    ],
  },
};

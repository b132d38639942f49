import { randomUUID } from 'node:crypto';
import type { DatabaseTransaction } from '../context.ts';
import type { Encryption } from '../encryption.ts';
import { insertAsset, PIECE_BYTES, readAssetPieces } from '../storage/assets.ts';
import type { Database } from '../storage/database.ts';
import type { TransferFile } from '../storage/transfers.ts';
import { readPieces, type UploadedFile } from './uploaded-file.ts';

// Each piece is encrypted, because files have names and e-mails. It can only be read at its place in its
// file.
const rowIdOf = (assetId: string, piece: number) => `${assetId}/${piece}`;

/** Stores a file, and returns its id. */
export async function insertTransferFile(
  tx: DatabaseTransaction,
  encryption: Encryption,
  file: UploadedFile,
): Promise<string> {
  const assetId = randomUUID();
  async function* encryptPieces(): AsyncGenerator<Buffer> {
    let piece = 0;
    for await (const bytes of readPieces(file, PIECE_BYTES)) {
      yield encryption.encrypt('transferPiece', rowIdOf(assetId, piece), bytes);
      piece += 1;
    }
  }
  const { sizeBytes, hash } = file;
  const contentType = 'application/octet-stream';
  await insertAsset(tx, { assetId, contentType, sizeBytes, hash, pieces: encryptPieces() });
  return assetId;
}

/** Reads a file piece by piece. Rejects if a piece is missing, or was stored with another key. */
export async function* readTransferFile(
  db: Database,
  encryption: Encryption,
  { assetId, sizeBytes }: TransferFile,
): AsyncGenerator<Buffer> {
  let piece = 0;
  let readBytes = 0;
  for await (const encrypted of readAssetPieces(db, assetId)) {
    const bytes = encryption.decryptBytes('transferPiece', rowIdOf(assetId, piece), encrypted);
    piece += 1;
    readBytes += bytes.length;
    yield bytes;
  }
  if (readBytes !== sizeBytes)
    throw new Error(`the file of a transfer has ${readBytes} of ${sizeBytes} bytes`);
}

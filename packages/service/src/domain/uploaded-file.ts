/** An uploaded file that is not in the database yet. */
export interface UploadedFile {
  sizeBytes: number;
  /** SHA-256. */
  hash: Buffer;
  /** Returns fewer bytes than `length` only at the end of the file. */
  read(position: number, length: number): Promise<Buffer>;
}

/** Reads a file in pieces of this size; the last may be shorter. */
export async function* readPieces(file: UploadedFile, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < file.sizeBytes; position += pieceBytes) {
    yield await file.read(position, pieceBytes);
  }
}

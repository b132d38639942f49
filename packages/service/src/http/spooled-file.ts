import { createHash, randomUUID } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '../domain/refusal.ts';

/** A temporary file without a name. The system deletes the file when it is closed or the process ends. */
export interface SpooledFile {
  write(bytes: Buffer): Promise<void>;
  readonly sizeBytes: number;
  /** Returns the SHA-256 of what was written. */
  hash(): Buffer;
  /** Returns `length` bytes, or fewer at the end of the file. */
  read(position: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** Opens an empty file in the system's temporary directory. */
export async function openSpooledFile(): Promise<SpooledFile> {
  const path = join(tmpdir(), `badge-upload-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600).catch(throwUnavailableIfFull);
  await unlink(path);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  return {
    async write(bytes) {
      hash.update(bytes);
      // On an open file, `writeFile` appends: it writes all bytes at the current position.
      await file.writeFile(bytes).catch(throwUnavailableIfFull);
      sizeBytes += bytes.length;
    },
    get sizeBytes() {
      return sizeBytes;
    },
    hash: () => hash.copy().digest(),
    async read(position, length) {
      const buffer = Buffer.alloc(Math.max(0, Math.min(length, sizeBytes - position)));
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, position + filled);
        if (bytesRead === 0) throw new Error('a temporary file is shorter than what was written to it');
        filled += bytesRead;
      }
      return buffer;
    },
    close: () => file.close(),
  };
}

function throwUnavailableIfFull(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOSPC' && error.code !== 'EDQUOT') throw error;
  throw new Refusal('Unavailable', 'The temporary directory for uploads is full. Retry later.');
}

import { createReadStream } from 'node:fs';
import { lstat, open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { ArrivalError } from './arrival.ts';

/** A file of a source. It can be read several times. */
export interface SourceFile {
  /** Its path in the folder or the ZIP file, with `/` between the names. */
  name: string;
  size: number;
  /** Its content. Rejects with an `ArrivalError`. */
  read: () => AsyncGenerator<Buffer>;
}

export interface SourceFiles {
  /** Sorted by their names. */
  files: SourceFile[];
  /** What is not read, and why. */
  skipped: { name: string; detail: string }[];
  [Symbol.asyncDispose]: () => Promise<void>;
}

const MAX_FILES = 100_000;
const MAX_DEPTH = 32;
// A ZIP file can say that it has much more than a disk has: its content may be this many times its own size.
const MAX_ZIP_RATIO = 100;
const MIN_ZIP_CONTENT_BYTES = 256 * 2 ** 20;
const ZIP_SIGNATURES = [Buffer.from('PK\x03\x04', 'latin1'), Buffer.from('PK\x05\x06', 'latin1')];
// What systems put beside the files of people.
const OF_SYSTEM = /(^|\/)(__MACOSX|\.[^/]*|Thumbs\.db|desktop\.ini)(\/|$)/i;

/** Opens a file, a folder or a ZIP file. Throws `ArrivalError`. Links in folders are not followed. */
export async function openSourceFiles(path: string): Promise<SourceFiles> {
  try {
    // A link that the caller names is followed.
    const stats = await stat(path);
    if (stats.isDirectory()) return await openFolder(path);
    if (!stats.isFile()) throw new ArrivalError(`${path} is neither a file nor a folder`);
    if (await isZip(path)) return await openZip(path, stats.size);
    return toFiles([toFile(basename(path), path, stats.size)], []);
  } catch (error) {
    throw toArrivalError(error, path);
  }
}

/** Reads a whole file. Rejects with an `ArrivalError` if it has more than `maxBytes`. */
export async function readWhole(file: SourceFile, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new ArrivalError(`the file has more than ${maxBytes} bytes`);
  if (file.size > maxBytes) throw tooLarge();
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of file.read()) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function toFiles(
  files: SourceFile[],
  skipped: SourceFiles['skipped'],
  close: () => void = () => {},
): SourceFiles {
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { files, skipped, [Symbol.asyncDispose]: async () => close() };
}

function toFile(name: string, path: string, size: number): SourceFile {
  return { name, size, read: () => readSafely(async () => createReadStream(path)) };
}

async function* readSafely(openStream: () => Promise<Readable>): AsyncGenerator<Buffer> {
  try {
    for await (const piece of await openStream()) yield piece as Buffer;
  } catch (error) {
    throw toArrivalError(error, 'the file');
  }
}

async function openFolder(root: string): Promise<SourceFiles> {
  const files: SourceFile[] = [];
  const skipped: SourceFiles['skipped'] = [];
  const folders = [{ name: '', depth: 0 }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(root, folder.name), { withFileTypes: true })) {
      const name = folder.name === '' ? entry.name : `${folder.name}/${entry.name}`;
      if (OF_SYSTEM.test(name)) continue;
      if (entry.isDirectory()) {
        if (folder.depth >= MAX_DEPTH) throw new ArrivalError(`${name} is in more than ${MAX_DEPTH} folders`);
        folders.push({ name, depth: folder.depth + 1 });
      } else if (entry.isFile()) {
        const { size } = await lstat(join(root, name));
        files.push(toFile(name, join(root, name), size));
        if (files.length > MAX_FILES) throw new ArrivalError(`${root} has more than ${MAX_FILES} files`);
      } else {
        skipped.push({ name, detail: 'is a link or a device, which is not read' });
      }
    }
  }
  return toFiles(files, skipped);
}

async function isZip(path: string): Promise<boolean> {
  await using handle = await open(path);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
  return bytesRead === 4 && ZIP_SIGNATURES.some((signature) => signature.equals(buffer));
}

async function openZip(path: string, bytes: number): Promise<SourceFiles> {
  const zip = await openPromise(path, { autoClose: false, lazyEntries: true });
  const files: SourceFile[] = [];
  const skipped: SourceFiles['skipped'] = [];
  let contentBytes = 0;
  const maxContentBytes = Math.max(MIN_ZIP_CONTENT_BYTES, MAX_ZIP_RATIO * bytes);
  try {
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName;
      contentBytes += entry.uncompressedSize;
      if (contentBytes > maxContentBytes)
        throw new ArrivalError(`${path} would have more than ${maxContentBytes} bytes when it is unpacked`);
      if (files.length + skipped.length >= MAX_FILES)
        throw new ArrivalError(`${path} has more than ${MAX_FILES} files`);
      if (name.endsWith('/') || OF_SYSTEM.test(name)) continue;
      if (entry.isEncrypted()) skipped.push({ name, detail: 'is encrypted: unpack it first' });
      else files.push(toZipFile(zip, entry));
    }
  } catch (error) {
    zip.close();
    throw error;
  }
  return toFiles(files, skipped, () => zip.close());
}

function toZipFile(zip: ZipFile, entry: Entry): SourceFile {
  return {
    name: entry.fileName,
    size: entry.uncompressedSize,
    read: () => readSafely(async () => await zip.openReadStreamPromise(entry)),
  };
}

function toArrivalError(error: unknown, path: string): ArrivalError {
  if (error instanceof ArrivalError) return error;
  const reason = error instanceof Error && 'code' in error ? error.code : (error as Error).message;
  return new ArrivalError(`${path} cannot be read: ${String(reason)}`);
}

import { type FileHandle, open } from 'node:fs/promises';
import { PIECE_BYTES } from '../storage/assets.ts';

// The format is ustar (POSIX.1-1988), with the sizes of GNU tar for files of 8 GiB and more.
const BLOCK_BYTES = 512;
const MAX_OCTAL_SIZE = 8 ** 11;
const MAX_NAME_BYTES = 100;
const NO_ARCHIVE = 'the file is not an archive (tar)';
const FIELDS = {
  name: [0, MAX_NAME_BYTES],
  size: [124, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 5],
} as const;

/** An archive cannot be read. The message says why. */
export class ArchiveError extends Error {
  override name = 'ArchiveError';
}

/** Writes a tar file. The same content gives the same bytes. */
export interface TarWriter {
  /** Writes a file. Its size need not be known before, because its header is written last. */
  add(name: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Ends the archive, and makes it durable. */
  end(): Promise<void>;
  close(): Promise<void>;
}

/** Creates the file, or replaces it. Only its owner can read it. */
export async function createTar(path: string): Promise<TarWriter> {
  const file = await open(path, 'w', 0o600);
  let position = 0;

  async function write(bytes: Uint8Array, at: number): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      const result = await file.write(bytes, written, bytes.length - written, at + written);
      written += result.bytesWritten;
    }
  }

  return {
    add: async (name, content) => {
      const start = position;
      let end = start + BLOCK_BYTES;
      for await (const bytes of content) {
        await write(bytes, end);
        end += bytes.length;
      }
      const size = end - start - BLOCK_BYTES;
      await write(Buffer.alloc(paddingOf(size)), end);
      await write(makeHeader(name, size), start);
      position = end + paddingOf(size);
    },
    end: async () => {
      await write(Buffer.alloc(2 * BLOCK_BYTES), position);
      await file.sync();
    },
    close: () => file.close(),
  };
}

function paddingOf(size: number): number {
  return (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
}

function makeHeader(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw new RangeError(`the name ${name} is too long`);
  const header = Buffer.alloc(BLOCK_BYTES);
  header.write(name);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  writeSize(header, size);
  // Each archive of the same data is the same, whenever it is made.
  header.write('00000000000\0', 136);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

function writeSize(header: Buffer, size: number): void {
  const [start] = FIELDS.size;
  if (size < MAX_OCTAL_SIZE) {
    header.write(`${size.toString(8).padStart(11, '0')}\0`, start);
    return;
  }
  header[start] = 0x80;
  header.writeBigUInt64BE(BigInt(size), start + 4);
}

/** The sum of the bytes, with spaces in place of the sum itself. */
function sumOf(header: Buffer): number {
  const [start, length] = FIELDS.checksum;
  return header.reduce(
    (sum, byte, index) => sum + (index >= start && index < start + length ? 0x20 : byte),
    0,
  );
}

interface TarEntry {
  /** Where the content starts in the archive. */
  start: number;
  size: number;
}

export interface TarReader {
  /** The files by name. */
  entries: Map<string, TarEntry>;
  /** Reads a file in pieces of `PIECE_BYTES`; the last may be shorter. */
  read(name: string): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

/** Opens a tar file, and finds its files. Throws `ArchiveError` if it is damaged or incomplete. */
export async function openTar(path: string): Promise<TarReader> {
  const file = await open(path);
  try {
    const entries = await readEntries(file);
    return {
      entries,
      read: (name) => readEntry(file, name, entries.get(name)),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readEntries(file: FileHandle): Promise<Map<string, TarEntry>> {
  const { size: archiveBytes } = await file.stat();
  const entries = new Map<string, TarEntry>();
  for (let position = 0; ; ) {
    const header = Buffer.alloc(BLOCK_BYTES);
    const { bytesRead } = await file.read(header, 0, BLOCK_BYTES, position);
    if (bytesRead < BLOCK_BYTES)
      throw new ArchiveError(position === 0 ? NO_ARCHIVE : 'the archive is truncated: it has no end');
    if (header.every((byte) => byte === 0)) return entries;
    const entry = parseHeader(header, position);
    if (entries.has(entry.name)) throw new ArchiveError(`the archive has ${entry.name} twice`);
    const start = position + BLOCK_BYTES;
    if (start + entry.size > archiveBytes)
      throw new ArchiveError(`the archive is truncated in ${entry.name}`);
    entries.set(entry.name, { start, size: entry.size });
    position = start + entry.size + paddingOf(entry.size);
  }
}

function parseHeader(header: Buffer, position: number): { name: string; size: number } {
  const textOf = ([start, length]: readonly [number, number]) =>
    header.toString('utf8', start, start + length).replace(/\0.*$/s, '');
  const isDamaged =
    textOf(FIELDS.magic) !== 'ustar' || Number.parseInt(textOf(FIELDS.checksum), 8) !== sumOf(header);
  if (isDamaged)
    throw new ArchiveError(position === 0 ? NO_ARCHIVE : `the archive is damaged at byte ${position}`);
  const name = textOf(FIELDS.name);
  if (!['0', ''].includes(textOf(FIELDS.type))) throw new ArchiveError(`${name} is not a file`);
  const [start] = FIELDS.size;
  const size =
    (header[start] ?? 0) & 0x80
      ? Number(header.readBigUInt64BE(start + 4))
      : Number.parseInt(textOf(FIELDS.size), 8);
  if (!Number.isSafeInteger(size)) throw new ArchiveError(`the archive is damaged at ${name}`);
  return { name, size };
}

async function* readEntry(
  file: FileHandle,
  name: string,
  entry: TarEntry | undefined,
): AsyncGenerator<Buffer> {
  if (entry === undefined) throw new ArchiveError(`the archive has no file ${name}`);
  const end = entry.start + entry.size;
  for (let position = entry.start; position < end; ) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - position));
    for (let filled = 0; filled < piece.length; ) {
      const { bytesRead } = await file.read(piece, filled, piece.length - filled, position + filled);
      if (bytesRead === 0) throw new ArchiveError(`the archive is truncated in ${name}`);
      filled += bytesRead;
    }
    yield piece;
    position += piece.length;
  }
}

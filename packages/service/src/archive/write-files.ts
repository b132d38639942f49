import { createHash } from 'node:crypto';
import { type Row, type RowsOfTable, readRows } from '../storage/archive.ts';
import { readAssetPieces } from '../storage/assets.ts';
import type { DatabaseTransaction } from '../storage/database.ts';
import { pictureFileOf, toLine } from './lines.ts';
import type { FileEntry } from './manifest.ts';
import { MANIFEST_FILE } from './manifest.ts';
import type { Noun } from './nouns.ts';
import type { Progress } from './progress.ts';
import { createTar } from './tar.ts';

/** A part of a file, and how many lines it has. */
export interface Piece {
  bytes: Uint8Array;
  lines: number;
}

/** Writes the files of an archive, and remembers what the manifest says about each. */
export interface ArchiveWriter {
  files: FileEntry[];
  addLines(name: string, pieces: AsyncIterable<Piece>): Promise<void>;
  /** Adds a file that has no lines. */
  addBytes(name: string, content: AsyncIterable<Uint8Array> | Uint8Array[]): Promise<void>;
  /** Adds the manifest, and ends the archive. */
  end(manifest: object): Promise<void>;
  close(): Promise<void>;
}

/** Creates the archive, or replaces it. */
export async function createArchive(
  path: string,
  { progress, signal }: { progress: Progress; signal?: AbortSignal | undefined },
): Promise<ArchiveWriter> {
  const tar = await createTar(path);
  const files: FileEntry[] = [];

  async function add(name: string, pieces: AsyncIterable<Piece>): Promise<FileEntry & { lines: number }> {
    const hash = createHash('sha256');
    const entry = { name, lines: 0, bytes: 0 };
    async function* watch() {
      for await (const { bytes, lines } of pieces) {
        signal?.throwIfAborted();
        hash.update(bytes);
        entry.bytes += bytes.length;
        entry.lines += lines;
        progress.report(`${name}: ${entry.lines} lines, ${entry.bytes} bytes`);
        yield bytes;
      }
    }
    await tar.add(name, watch());
    return { ...entry, sha256: hash.digest('hex') };
  }

  return {
    files,
    addLines: async (name, pieces) => void files.push(await add(name, pieces)),
    addBytes: async (name, content) =>
      void files.push({ ...(await add(name, toPieces(content))), lines: null }),
    end: async (manifest) => {
      const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
      await add(MANIFEST_FILE, toPieces([bytes]));
      await tar.end();
    },
    close: () => tar.close(),
  };
}

async function* toPieces(content: AsyncIterable<Uint8Array> | Uint8Array[]): AsyncGenerator<Piece> {
  for await (const bytes of content) yield { bytes, lines: 0 };
}

/** Reads the rows of a table as lines: each as `toRow` returns it. */
export async function* readLinesOf(
  tx: DatabaseTransaction,
  noun: Noun,
  rowsOfTable: RowsOfTable,
  {
    toRow = (row) => row,
    onRows = () => undefined,
  }: { toRow?: (row: Row) => Row; onRows?: (rows: Row[]) => void },
): AsyncGenerator<Piece> {
  const write = (rows: Row[]) => Buffer.from(rows.map((row) => `${toLine(noun, toRow(row))}\n`).join(''));
  for await (const { rows, bytes } of readRows(tx, rowsOfTable, write)) {
    onRows(rows);
    yield { bytes, lines: rows.length };
  }
}

/** The file of an uploaded picture, and its content. */
export function toPicture(
  tx: DatabaseTransaction,
  row: Row,
): { file: string; content: AsyncIterable<Buffer> } {
  const { asset_id: assetId, content_type: contentType } = row as { asset_id: string; content_type: string };
  return { file: pictureFileOf({ assetId, contentType }), content: readAssetPieces(tx, assetId) };
}

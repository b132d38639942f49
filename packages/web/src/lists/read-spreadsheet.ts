import { unzipSync, zipSync } from 'fflate';
import { readSheet } from 'read-excel-file/universal';

/** Unpacked, the parts of a file have at most this size together. A small file can be made to grow without end. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

/** Reads the first sheet of an .xlsx file. Each cell is a text. Throws if the file is none, or too large. */
export async function readSpreadsheet(bytes: ArrayBuffer): Promise<string[][]> {
  let size = 0;
  const parts = unzipSync(new Uint8Array(bytes), {
    filter: ({ name, originalSize }) => {
      if (!/\.(xml|rels)$/.test(name)) return false;
      size += originalSize;
      if (size > MAX_UNPACKED_BYTES) throw new RangeError('The file is too large.');
      return true;
    },
  });
  // read-excel-file unpacks large parts in a worker that the security policy of the pages forbids. It needs none for parts
  // that are not compressed.
  const unpacked = zipSync(parts, { level: 0 });
  const rows = await readSheet(new Blob([unpacked as Uint8Array<ArrayBuffer>]));
  return rows.map((row) => row.map((cell) => (cell === null ? '' : String(cell))));
}

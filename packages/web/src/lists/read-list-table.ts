import { decodeText, type Encoding } from './decode-text.ts';
import { ListFileError } from './list-file-error.ts';
import { parseTable } from './parse-table.ts';
import { type ListRow, readWorkbook, type Sheet } from './read-workbook.ts';

/** A list of people as rows and cells. */
export interface ListTable {
  /** The rows that are not empty. */
  rows: ListRow[];
  /** The sheets of a workbook, and the place of the one that was read; null for a text. */
  workbook: { sheets: Sheet[]; sheet: number } | null;
  /** How the letters of a file were read, if the file does not say it; otherwise null. */
  guessedEncoding: Encoding | null;
}

/** Reads a text, or a file of text or .xlsx. `sheet`: the place of the sheet. Throws a `ListFileError`. */
export function readListTable(source: Uint8Array<ArrayBuffer> | string, sheet?: number): ListTable {
  if (typeof source === 'string') {
    return { rows: parseTable(source), workbook: null, guessedEncoding: null };
  }
  if (isArchive(source)) {
    const { rows, ...workbook } = readWorkbook(source, sheet);
    return { rows, workbook, guessedEncoding: null };
  }
  const { text, encoding, isGuessed } = readText(source);
  return { rows: parseTable(text), workbook: null, guessedEncoding: isGuessed ? encoding : null };
}

/** Decodes a file of text. Throws a `ListFileError` if it is none. */
export function readText(bytes: Uint8Array): ReturnType<typeof decodeText> {
  const decoded = decodeText(bytes);
  // A text has no such character. An .xls file of older versions of Excel does.
  if (decoded.text.includes('\0')) throw new ListFileError('unreadable');
  return decoded;
}

/** Whether a file is a ZIP archive, as an .xlsx file is. It begins with PK. */
export function isArchive([first, second]: Uint8Array): boolean {
  return first === 0x50 && second === 0x4b;
}

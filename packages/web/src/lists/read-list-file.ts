import { decodeText } from './decode-text.ts';

/** What the field for a file accepts. */
export const LIST_FILE_TYPES = [
  '.csv,.txt,.tsv,.json,.xlsx',
  'text/plain,text/csv,application/json',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
].join(',');

/** Why a file cannot be read: it is too large, a workbook without a sheet to read, or neither a text nor an .xlsx file. */
export type ListFileProblem = 'tooLarge' | 'noSheet' | 'unreadable';

export class ListFileError extends Error {
  readonly problem: ListFileProblem;

  constructor(problem: ListFileProblem, cause?: unknown) {
    super(problem, { cause });
    this.problem = problem;
  }
}

/**
 * Reads a list from a file of text, or from the first sheet of an .xlsx file, which becomes CSV. Throws a `ListFileError`.
 */
export async function readListFile(file: Blob, maxBytes: number): Promise<string> {
  if (file.size > maxBytes) throw new ListFileError('tooLarge');
  const bytes = await file.arrayBuffer();
  const [first, second] = new Uint8Array(bytes);
  // An .xlsx file is a ZIP archive, which begins with PK.
  if (first === 0x50 && second === 0x4b) return await readSheetAsCsv(bytes);
  const text = decodeText(bytes);
  // A text has no such character. An .xls file of older versions of Excel does.
  if (text.includes('\0')) throw new ListFileError('unreadable');
  return text;
}

async function readSheetAsCsv(bytes: ArrayBuffer): Promise<string> {
  // A script of its own, because most people paste their list or drop a CSV file.
  const { readSpreadsheet } = await import('./read-spreadsheet.ts');
  try {
    const rows = await readSpreadsheet(bytes);
    return rows.map((cells) => cells.map(toCell).join(',')).join('\n');
  } catch (error) {
    throw new ListFileError(error instanceof RangeError ? 'tooLarge' : 'noSheet', error);
  }
}

// A line break in a cell would begin a new line of the list.
function toCell(text: string): string {
  return `"${text.replaceAll(/\s+/g, ' ').replaceAll('"', '""')}"`;
}

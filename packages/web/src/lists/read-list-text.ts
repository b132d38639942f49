import { ListFileError } from './list-file-error.ts';
import { LIST_LIMITS } from './list-limits.ts';
import { isArchive, readText } from './read-list-table.ts';
import { readWorkbook } from './read-workbook.ts';

/** Reads a file of text, or the open sheet of an .xlsx file, which becomes CSV. Throws a `ListFileError`. */
export function readListText(bytes: Uint8Array<ArrayBuffer>): string {
  if (!isArchive(bytes)) return readText(bytes).text;
  const lines: string[] = [];
  for (const { line, cells } of readWorkbook(bytes).rows) {
    // The empty lines before it are kept, so that each line has its number.
    if (line > LIST_LIMITS.rows) throw new ListFileError('tooMuch');
    while (lines.length < line - 1) lines.push('');
    lines.push(cells.map(toCell).join(','));
  }
  return lines.join('\n');
}

// A line break in a cell would begin a new line of the list.
function toCell(text: string): string {
  return `"${text.replaceAll(/\s+/g, ' ').replaceAll('"', '""')}"`;
}

import { ListFileError } from './list-file-error.ts';

/**
 * The largest list that the pages read. A list of people has far less, so what has more is something else.
 */
export const LIST_LIMITS = {
  rows: 50_000,
  columns: 500,
  cells: 500_000,
  characters: 20_000_000,
  /**
   * Of an .xlsx file: its parts, and their size together when they are unpacked. A small file can grow
   * without end.
   */
  parts: 2_000,
  unpackedBytes: 64 * 1024 * 1024,
} as const;

/** Counts what a list has before it is kept. Throws a `ListFileError` if it is too much. */
export function createListCounter(): {
  addRow(): void;
  addCells(count: number, column: number, text: string): void;
} {
  let rows = 0;
  let cells = 0;
  let characters = 0;
  return {
    addRow() {
      rows += 1;
      if (rows > LIST_LIMITS.rows) throw new ListFileError('tooMuch');
    },
    addCells(count, column, text) {
      cells += count;
      characters += text.length;
      const isAllowed =
        column < LIST_LIMITS.columns && cells <= LIST_LIMITS.cells && characters <= LIST_LIMITS.characters;
      if (!isAllowed) throw new ListFileError('tooMuch');
    },
  };
}

import { readCsvCell } from '@badge/protocol/csv-cell';

/** Cells of our CSV files are short. */
const MAX_NEUTRALISED_LENGTH = 1_000;

/**
 * Returns a cell without what nobody sees, and without the apostrophe that our CSV files have before a
 * formula.
 */
export function cleanCell(cell: string): string {
  return cleanName(cell).replaceAll(/[\u200c\u200d]/g, '');
}

/** The same for a name, in which letters of Arabic and Indian scripts are joined or kept apart. */
export function cleanName(cell: string): string {
  const text = cell.length > MAX_NEUTRALISED_LENGTH ? cell : readCsvCell(cell);
  return (
    text
      // Spaces without a width and marks of direction, which web pages and spreadsheets contain.
      .replaceAll(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim()
  );
}

import { formatCsvCell } from '@badge/protocol/csv-cell';

/** A CSV file that spreadsheets read as UTF-8, and in which no cell is a formula. */
export function toCsv(rows: readonly (readonly string[])[]): Blob {
  const lines = rows.map((cells) => cells.map(formatCsvCell).join(','));
  return new Blob([`\ufeff${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' });
}

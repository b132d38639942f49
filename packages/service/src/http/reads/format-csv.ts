import { formatCsvCell } from '@badge/protocol';

const TIMESTAMP = 'Timestamp';

/** Returns the header row, as RFC 4180 says. A timestamp has a further column with its time in ISO 8601. */
export function formatCsvHeader(fields: string[]): string {
  return toLine(fields.flatMap((field) => (isTimestamp(field) ? [field, toTimeName(field)] : [field])));
}

/** Returns the row of an item, in the order of `formatCsvHeader`. */
export function formatCsvRow(fields: string[], item: Record<string, unknown>): string {
  return toLine(
    fields.flatMap((field) => {
      const value = item[field];
      if (!isTimestamp(field)) return [value];
      return [value, typeof value === 'number' ? new Date(value).toISOString() : null];
    }),
  );
}

const isTimestamp = (field: string) => field.endsWith(TIMESTAMP);
const toTimeName = (field: string) => field.slice(0, -TIMESTAMP.length);
const toLine = (values: unknown[]) => `${values.map(toCell).join(',')}\r\n`;

function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? formatCsvCell(value) : String(value);
}

import { CSV_FIELDS, CSV_SETTINGS } from '@badge/protocol';
import { replaceTable } from './replace-table.ts';

/** Returns the guide with the table of what a CSV file can have. */
export function describeCsvFields(page: string): string {
  const rows = Object.entries({ ...CSV_FIELDS, ...CSV_SETTINGS }).map(
    ([name, text]) => `| \`${name}\` | ${text} |`,
  );
  return replaceTable(page, 'csv fields', `\n| Field | Meaning |\n|---|---|\n${rows.join('\n')}\n\n`);
}

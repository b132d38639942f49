import Papa from 'papaparse';
import { createListCounter } from './list-limits.ts';
import type { ListRow } from './read-workbook.ts';

/** "Ada Lovelace <ada@example.org>", as mail programs write it. */
export const NAME_AND_EMAIL = /^"?([^"<>]*?)"?\s*<\s*([^<>\s]+@[^<>\s]+)\s*>$/;

const EMAIL = /^(?:mailto:)?[^\s@,;:<>"|]+@[^\s@,;:<>"|]+$/i;
const ADDRESS = /^(?:0x)?[0-9a-f]{40}$/i;

/** Whether a cell is meant as an e-mail. It may be a wrong one. */
export const looksLikeEmail = (cell: string) => EMAIL.test(cell);
/** Whether a cell has the form of an address. */
export const looksLikeAddress = (cell: string) => ADDRESS.test(cell);

const SEPARATORS = ['\t', ';', ',', '|'];
/** So many rows are enough to find the separator. */
const TRIED_ROWS = 200;

/**
 * Splits a list into rows and cells: CSV with any separator, lines as mail programs write them, or JSON. Rows
 * that are empty are left out. The items of a JSON array are its lines, and the names of their members a row
 * of titles with the number 0. Throws a `ListFileError` if the list is too large.
 */
export function parseTable(text: string): ListRow[] {
  const source = text.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n');
  const rows = parseJson(source) ?? parseLines(source);
  const counter = createListCounter();
  const kept: ListRow[] = [];
  for (const row of rows) {
    if (row.cells.every((cell) => cell.trim() === '')) continue;
    counter.addRow();
    for (const [column, cell] of row.cells.entries()) counter.addCells(1, column, cell);
    kept.push(row);
  }
  return kept;
}

function parseLines(source: string): ListRow[] {
  // Excel writes such a line for itself.
  const [first, named] = /^"?sep=(.)"?[ \t]*(?:\n|$)/i.exec(source) ?? [''];
  const body = source.slice(first.length);
  const offset = first === '' ? 1 : 2;
  if (named === undefined && (isMailList(body) || isLineOfPeople(body))) {
    return body.split('\n').map((line, index) => ({ line: index + offset, cells: [line] }));
  }
  const delimiter = named ?? findSeparator(body);
  const lines = parseCsv(body, { delimiter });
  return lines.map((cells, index) => ({ line: index + offset, cells }));
}

// A name in such a list can contain a comma, without quotes.
function isMailList(source: string): boolean {
  const lines = source.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 0 && lines.every((line) => /<[^<>\s]+@[^<>\s]+>[\s,;]*$/.test(line));
}

// A line of people has no columns, and can have more people than a list has columns.
function isLineOfPeople(source: string): boolean {
  const [line = '', ...others] = source.split('\n').filter((one) => one.trim() !== '');
  const words = line.split(/[\s,;|]+/).filter((word) => word !== '');
  return others.length === 0 && words.length > 1 && words.every(isRecipient);
}

function parseCsv(source: string, config: { delimiter: string; preview?: number }): string[][] {
  const { data, errors } = Papa.parse<string[]>(source, { ...config, newline: '\n' });
  // A quote that never ends would take the rest of the list into its cell. Then quotes are ordinary
  // characters.
  const isQuoteOpen = errors.some(({ code }) => code === 'MissingQuotes');
  return isQuoteOpen
    ? Papa.parse<string[]>(source, { ...config, newline: '\n', quoteChar: '\0' }).data
    : data;
}

/**
 * Returns the separator with which most cells are an e-mail or an address. So a decimal comma is none,
 * although it is in every line. If there are no such cells, it is the one that splits most lines into equally
 * many cells.
 */
function findSeparator(source: string): string {
  const judged = SEPARATORS.map((delimiter) => {
    const rows = parseCsv(source, { delimiter, preview: TRIED_ROWS }).filter((cells) =>
      cells.some((cell) => cell.trim() !== ''),
    );
    const recipients = rows.flat().filter((cell) => isRecipient(cell.trim())).length;
    const lengths = new Map<number, number>();
    for (const { length } of rows) if (length > 1) lengths.set(length, (lengths.get(length) ?? 0) + 1);
    return { delimiter, recipients, equal: Math.max(0, ...lengths.values()) };
  });
  judged.sort((one, other) => other.recipients - one.recipients || other.equal - one.equal);
  return judged[0]?.delimiter ?? ',';
}

const isRecipient = (cell: string) =>
  looksLikeEmail(cell) || looksLikeAddress(cell) || NAME_AND_EMAIL.test(cell);

/** Returns null if the text is not JSON. */
function parseJson(source: string): ListRow[] | null {
  if (!/^\s*[[{]/.test(source)) return null;
  const items = findItems(parse(source) ?? parseJsonLines(source));
  if (items === null) return null;
  const titles = [...new Set(items.flatMap((item) => (isRecord(item) ? Object.keys(item) : [])))];
  const rows = items.map((item, index) => ({
    line: index + 1,
    cells: Array.isArray(item)
      ? item.map(toText)
      : isRecord(item)
        ? titles.map((title) => toText(item[title]))
        : [toText(item)],
  }));
  return titles.length === 0 ? rows : [{ line: 0, cells: titles }, ...rows];
}

function parse(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

/** One value in each line. */
function parseJsonLines(source: string): unknown {
  const values = source
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parse);
  return values.includes(undefined) ? undefined : values;
}

/** The items of an array, or of the first array in an object, such as `data` of a response. */
function findItems(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return null;
  return Object.values(value).find((member): member is unknown[] => Array.isArray(member)) ?? [value];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

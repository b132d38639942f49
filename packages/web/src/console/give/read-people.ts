import Papa from 'papaparse';
import { splitLines } from '../../lists/split-lines.ts';
import { isAddress } from '../../urls.ts';
import type { PersonLine } from './person-line.ts';

/** The titles of columns, in the languages of the pages, without accents, hyphens and spaces. */
const TITLES = {
  address: [
    'address',
    'walletaddress',
    'wallet',
    'ethereumaddress',
    'ethaddress',
    'ethereum',
    'eth',
    'recipient',
    'contributor',
    'direccion',
    'monedero',
    'billetera',
    'cartera',
    'العنوان',
    'عنوان',
    'عنوانالمحفظة',
    'المحفظة',
  ],
  email: [
    'email',
    'emailaddress',
    'mail',
    'identifier',
    'correo',
    'correoelectronico',
    'البريد',
    'البريدالالكتروني',
    'بريدالكتروني',
    'الايميل',
  ],
  name: [
    'name',
    'fullname',
    'firstname',
    'givenname',
    'lastname',
    'surname',
    'familyname',
    'nombre',
    'nombrecompleto',
    'apellido',
    'apellidos',
    'الاسم',
    'اسم',
    'الاسمالكامل',
    'اسمالعائلة',
  ],
  language: ['language', 'lang', 'locale', 'idioma', 'lengua', 'اللغة', 'لغة'],
} as const;

type Role = keyof typeof TITLES;

/** "Ada Lovelace <ada@example.org>", as mail programs write it. */
const NAME_AND_EMAIL = /^"?([^"<>]*?)"?\s*<\s*([^<>\s]+@[^<>\s]+)\s*>$/;

/**
 * Reads a list of people: an address or an e-mail per line, or the columns of a CSV file or of a spreadsheet. The columns
 * are recognised by their titles or, without titles, by what is in them. Empty lines are left out, and so are the titles.
 */
export function readPeople(text: string): PersonLine[] {
  const rows = parseRows(text)
    .map((cells, index) => ({ line: index + 1, cells: cells.map(cleanCell) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const titled = findTitles(rows[0]?.cells ?? []);
  const people = titled === null ? rows : rows.slice(1);
  const columns = completeColumns(
    titled ?? { address: [], email: [], name: [], language: [] },
    people.map(({ cells }) => cells),
  );
  return people.map(({ line, cells }) => toPerson(line, cells, columns));
}

function parseRows(text: string): string[][] {
  const config = { delimitersToGuess: [',', ';', '\t', '|'] };
  const source = text.replace(/^\ufeff/, '');
  const lines = splitLines(source);
  // Such a name can contain a comma, in quotes that CSV does not have.
  if (lines.every((line) => line.trim() === '' || NAME_AND_EMAIL.test(line.trim()))) {
    return lines.map((line) => [line]);
  }
  const { data, errors } = Papa.parse<string[]>(source, config);
  // A quote that never ends would take the rest of the list into its cell. Then quotes are ordinary characters.
  const isQuoteOpen = errors.some(({ code }) => code === 'MissingQuotes');
  return isQuoteOpen ? Papa.parse<string[]>(source, { ...config, quoteChar: '\0' }).data : data;
}

function cleanCell(cell: string): string {
  // Spreadsheets and web pages contain spaces that nobody sees.
  return cell
    .replaceAll(/[\u200b-\u200f\u2060\ufeff]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

type Columns = Record<Role, number[]>;

/** The columns by the titles in the first row; null if it has no titles. */
function findTitles(cells: readonly string[]): Columns | null {
  if (cells.some(looksLikeRecipient)) return null;
  const columns: Columns = { address: [], email: [], name: [], language: [] };
  for (const [index, cell] of cells.entries()) {
    const title = cell
      .normalize('NFD')
      .replaceAll(/[\p{M}\s_\-.:]/gu, '')
      .toLowerCase();
    for (const role of Object.keys(TITLES) as Role[]) {
      if ((TITLES[role] as readonly string[]).includes(title)) columns[role].push(index);
    }
  }
  const isFound = Object.values(columns).some((found) => found.length > 0);
  return isFound ? columns : null;
}

/** Finds the columns that no title has named by what is in them. */
function completeColumns(titled: Columns, rows: readonly string[][]): Columns {
  const { address, email, name, language } = titled;
  const addressColumns =
    address.length > 0 ? address : findColumn(rows, looksLikeAddress, [...email, ...name, ...language]);
  const emailColumns =
    email.length > 0 ? email : findColumn(rows, looksLikeEmail, [...address, ...name, ...language]);
  const recipientColumns = [...addressColumns, ...emailColumns];
  // A list of one column without any recipient is a list of wrong lines, not of names.
  const isOneColumn = recipientColumns.length === 0 && rows.every(({ length }) => length <= 1);
  const nameColumns =
    name.length > 0
      ? name
      : findColumn(rows, looksLikeName, isOneColumn ? [0] : [...recipientColumns, ...language]);
  return { address: isOneColumn ? [0] : addressColumns, email: emailColumns, name: nameColumns, language };
}

/** The column in which most cells are as wanted. None if no cell is. */
function findColumn(
  rows: readonly string[][],
  isWanted: (cell: string) => boolean,
  taken: readonly number[],
): number[] {
  const counts: number[] = [];
  for (const cells of rows) {
    for (const [index, cell] of cells.entries()) {
      if (!taken.includes(index) && isWanted(cell)) counts[index] = (counts[index] ?? 0) + 1;
    }
  }
  const most = counts.reduce((highest, count) => Math.max(highest, count ?? 0), 0);
  return most === 0 ? [] : [counts.indexOf(most)];
}

const looksLikeAddress = (cell: string) => isAddress(cell);
const looksLikeEmail = (cell: string) => /\S@\S/.test(cell);
const looksLikeRecipient = (cell: string) => looksLikeAddress(cell) || looksLikeEmail(cell);
/** A name has letters. An amount, a date and an id have digits too. */
const looksLikeName = (cell: string) => /\p{L}{2}/u.test(cell) && !/[\d@/]/.test(cell);

function toPerson(line: number, cells: readonly string[], columns: Columns): PersonLine {
  const columnsOfRecipients = [...new Set([...columns.address, ...columns.email])];
  const inColumns = columnsOfRecipients.map((index) => cells[index] ?? '').filter((cell) => cell !== '');
  // A line that was pasted below the others may have its recipient in another column.
  const written = inColumns.length > 0 ? inColumns : cells.filter(looksLikeRecipient);
  const mailed = written.map((cell) => NAME_AND_EMAIL.exec(cell)).find((match) => match !== null);
  const email = mailed?.[2] ?? written.find(looksLikeEmail) ?? '';
  // An address is preferred, because the badge itself goes there. A wrong one is shown, not replaced by the e-mail.
  const address =
    written.find(looksLikeAddress) ?? written.find((cell) => !looksLikeEmail(cell) && cell !== email);
  const name = columns.name
    .map((index) => cells[index] ?? '')
    .filter((cell) => cell !== '' && !written.includes(cell))
    .join(' ');
  const language = columns.language.map((index) => cells[index] ?? '').find((cell) => cell !== '') ?? '';
  return {
    line,
    name: name === '' ? (mailed?.[1] ?? '') : name,
    recipient: address ?? email,
    email: address === undefined ? '' : email,
    language,
  };
}

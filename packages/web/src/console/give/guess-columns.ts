import type { ListRow } from '../../lists/read-workbook.ts';
import { cleanCell } from './clean-cell.ts';
import { type KnownTitle, type Role, readTitles } from './column-titles.ts';
import { findRecipients, looksLikeName } from './find-recipients.ts';

/** What the columns of a list are. People can change it. */
export interface ColumnMapping {
  /** The line with the titles, or null. The lines above it are not people. */
  titleLine: number | null;
  /** By column. */
  roles: Role[];
  /**
   * The columns with several people in one row, of which nobody can say whose they are; empty if there are
   * none.
   */
  asked: number[];
  /** Whether several columns may be names, so that none is used. */
  isNameAsked: boolean;
}

/** The titles are in one of the first rows. */
const MAX_TITLE_ROWS = 20;

/**
 * Guesses what the columns are by their titles or, without titles, by what is in them. `titleLine`: where the
 * titles are.
 */
export function guessColumns(
  rows: readonly ListRow[],
  titleLine: number | null = findTitleLine(rows),
): ColumnMapping {
  const titles = rows.find(({ line }) => line === titleLine)?.cells.map(cleanCell) ?? [];
  const below = rows.filter(({ line }) => titleLine === null || line > titleLine);
  return guessRoles(
    below.map(({ cells }) => cells.map(cleanCell)),
    titleLine,
    titles,
  );
}

function findTitleLine(rows: readonly ListRow[]): number | null {
  let best: { line: number; known: number } | null = null;
  let rowsWithPeople = 0;
  for (const { line, cells: written } of rows.slice(0, MAX_TITLE_ROWS)) {
    const cells = written.map(cleanCell);
    const hasPeople = cells.some((cell) => findRecipients(cell).recipients.length > 0);
    const known = readTitles(cells).filter((title) => title !== null).length;
    if (!hasPeople && known > (best?.known ?? 0)) best = { line, known };
    // One line with an e-mail may be the sender's, above the titles. Two are people.
    if (hasPeople) rowsWithPeople += 1;
    if (rowsWithPeople > 1) break;
  }
  return best?.line ?? null;
}

interface Column {
  index: number;
  known: KnownTitle | null;
  addresses: number;
  emails: number;
  names: number;
  filled: number;
  different: number;
}

function guessRoles(
  rows: readonly string[][],
  titleLine: number | null,
  titles: readonly string[],
): ColumnMapping {
  const columns = readColumns(titles, rows);
  const roles: Role[] = columns.map(() => 'none');
  const hasTitles = titleLine !== null;
  for (const role of ['recipient', 'address', 'email', 'firstName', 'lastName', 'language'] as const) {
    for (const { index } of findTitled(columns, role)) roles[index] = role;
  }
  const [name] = findTitled(columns, 'name');
  if (name !== undefined) roles[name.index] = 'name';
  const recipientRoles: Role[] = ['recipient', 'address', 'email'];
  const isUseful = ({ index, addresses, emails }: Column) =>
    recipientRoles.includes(roles[index] ?? 'none') && addresses + emails > 0;
  if (!columns.some(isUseful)) {
    // No title says where the people are, so the cells do.
    for (const { index, known, addresses, emails } of columns) {
      const isFree = roles[index] === 'none' && known?.role !== 'none';
      if (isFree && addresses + emails > 0) {
        roles[index] = addresses > 0 && emails > 0 ? 'recipient' : addresses > 0 ? 'address' : 'email';
      }
    }
  }
  // A list of one column without anybody is a list of wrong lines.
  const [only] = columns;
  if (columns.length === 1 && only !== undefined && !isUseful(only)) roles[0] = 'recipient';
  const asked = findConflicts(rows, roles, hasTitles);
  const isList = !hasTitles && isListOfPeople(rows, asked);
  for (const index of asked) roles[index] = isList ? 'recipient' : 'none';
  const nameColumns = hasTitles ? [] : findNames(columns, roles, asked);
  const isNameAsked = nameColumns.length > 1;
  if (nameColumns[0] !== undefined && !isNameAsked) roles[nameColumns[0]] = 'name';
  return { titleLine, roles, asked: isList ? [] : asked, isNameAsked };
}

function readColumns(titles: readonly string[], rows: readonly string[][]): Column[] {
  const known = readTitles(titles);
  const width = rows.reduce((widest, { length }) => Math.max(widest, length), titles.length);
  const columns = Array.from({ length: width }, (_, index): Column & { values: Set<string> } => ({
    index,
    known: known[index] ?? null,
    addresses: 0,
    emails: 0,
    names: 0,
    filled: 0,
    different: 0,
    values: new Set(),
  }));
  for (const cells of rows) {
    for (const [index, cell] of cells.entries()) {
      const column = columns[index];
      if (cell === '' || column === undefined) continue;
      const { recipients } = findRecipients(cell);
      column.filled += 1;
      column.values.add(cell);
      if (recipients.some(({ isEmail }) => isEmail)) column.emails += 1;
      if (recipients.some(({ isEmail }) => !isEmail)) column.addresses += 1;
      if (recipients.length === 0 && looksLikeName(cell)) column.names += 1;
    }
  }
  return columns.map(({ values, ...column }) => ({ ...column, different: values.size }));
}

/** The columns with this role by their titles: those of the highest rank that has anything in it. */
function findTitled(columns: readonly Column[], role: Role): Column[] {
  const titled = columns.filter(({ known }) => known?.role === role);
  // A column "Address" with streets is no column of wallets, if the people are elsewhere.
  const hasOthers = columns.some((one) => one.known?.role !== role && one.emails + one.addresses > 0);
  const useful = titled.filter(
    (one) => one.addresses + one.emails > 0 || role === 'email' || one.known?.rank !== 1 || !hasOthers,
  );
  const isFilled = (one: Column) => one.filled > 0;
  const ranked = useful.some(isFilled) ? useful.filter(isFilled) : useful;
  const rank = Math.max(...ranked.map(({ known }) => known?.rank ?? 0));
  return ranked.filter(({ known }) => known?.rank === rank);
}

/**
 * The columns with the same role, of which a row names several people. Under titles, who is in both is one
 * person.
 */
function findConflicts(rows: readonly string[][], roles: readonly Role[], hasTitles: boolean): number[] {
  const conflicts = new Set<number>();
  for (const isEmail of [false, true]) {
    const own: Role = isEmail ? 'email' : 'address';
    const used = [...roles.keys()].filter((index) => roles[index] === own || roles[index] === 'recipient');
    // A contributor's address is in a column of its own.
    const isOneKind = used.every((index) => roles[index] === roles[used[0] ?? 0]);
    if (used.length < 2 || !isOneKind) continue;
    const isConflict = rows.some((cells) => {
      const found = used.map((index) => findRecipients(cells[index] ?? '').recipients[0]);
      const texts = found.flatMap((one) => (one?.isEmail === isEmail ? [one.text.toLowerCase()] : []));
      return (hasTitles ? new Set(texts).size : texts.length) > 1;
    });
    if (isConflict) for (const index of used) conflicts.add(index);
  }
  return [...conflicts].sort((one, other) => one - other);
}

/**
 * Whether a list without titles names several people in a line: a single line, or lines with different
 * numbers of people.
 */
function isListOfPeople(rows: readonly string[][], columns: readonly number[]): boolean {
  const counts = rows.map(
    (cells) => columns.filter((index) => findRecipients(cells[index] ?? '').recipients.length > 0).length,
  );
  // A line without anybody may be one of titles that are not known.
  return !counts.includes(0) && (new Set(counts).size > 1 || rows.length === 1);
}

function findNames(columns: readonly Column[], roles: readonly Role[], asked: readonly number[]): number[] {
  const isLong = columns.some(({ filled }) => filled >= 5);
  const names = columns.filter(
    ({ index, names: count, filled }) =>
      roles[index] === 'none' && !asked.includes(index) && filled > 0 && count >= filled / 2,
  );
  // In a longer list, names differ. What is repeated is a place, a company or a status.
  const different = names.filter((one) => !isLong || one.different > one.filled * 0.7);
  return (different.length === 1 ? different : names).map(({ index }) => index);
}

import { splitLines } from '../../lists/split-lines.ts';
import { findLongCode } from '../claim/claim-code.ts';

/** A code to print. `name` is next to the code in the file, and usually says whom the code is for. */
export interface PrintedCode {
  code: string;
  name: string | null;
}

/**
 * What is wrong with a line:
 * - `noCode`: it contains no code
 * - `otherToken`: it is a link to another badge
 * - `otherSite`: it is a link to another service
 * - `repeated`: an earlier line has the same code
 */
export type LineProblem = 'noCode' | 'otherToken' | 'otherSite' | 'repeated';

export interface InvalidLine {
  /** From 1. */
  line: number;
  text: string;
  problem: LineProblem;
}

export interface CodesInText {
  codes: PrintedCode[];
  invalidLines: InvalidLine[];
  /**
   * Whether the text is a list of people instead: it has no code, and most lines have an e-mail or an
   * address.
   */
  isPeopleList: boolean;
  /** The badge of the links, if all codes are for another one; otherwise null. */
  otherTokenId: number | null;
  /**
   * The lines of people with a wallet, who need no code. The console puts them into the same file as those
   * with a link.
   */
  walletCount: number;
}

/** Which links belong to the sheet: those of this token, on one of these origins. */
export interface LinkScope {
  tokenId: number;
  origins: readonly string[];
}

/** The titles of columns that say whom a code is for. */
const NAME_TITLES = ['identifier', 'name', 'label', 'email', 'e-mail'];

const ADDRESS = /^0x[0-9a-f]{40}$/i;
/** An e-mail or the address of a wallet. */
const PERSON = /^([^@\s]+@[^@\s]+|0x[0-9a-f]{40})$/i;

/**
 * Reads claim codes: one per line, as a code or as a claim link, or in a column of a CSV file. The response
 * of `POST …/claimLinks` can be read too. Lines without a code are reported, except empty lines and the
 * titles of columns.
 */
export function readCodes(text: string, scope: LinkScope): CodesInText {
  const rows = parseResponse(text) ?? readLines(text);
  const [firstRow] = rows;
  const hasTitles = firstRow !== undefined && isTitleRow(firstRow, scope);
  const nameColumn = hasTitles
    ? firstRow.cells.findIndex((cell) => NAME_TITLES.includes(cell.toLowerCase()))
    : -1;
  const codes = new Map<string, PrintedCode>();
  const invalidLines: InvalidLine[] = [];
  const walletLines = new Set<number>();
  let otherTokenId: number | null = null;
  for (const row of hasTitles ? rows.slice(1) : rows) {
    const found = findCode(row.cells, scope);
    const { line, text } = row;
    if ('problem' in found) {
      invalidLines.push({ line, text, problem: found.problem });
      if (found.problem === 'noCode' && row.cells.some((cell) => ADDRESS.test(cell))) walletLines.add(line);
      if (found.problem === 'otherToken') otherTokenId ??= findTokenId(row.cells);
    } else if (codes.has(found.code)) invalidLines.push({ line, text, problem: 'repeated' });
    else codes.set(found.code, { code: found.code, name: findName(row.cells, nameColumn, found.column) });
  }
  const people = rows.filter(({ cells }) => cells.some((cell) => PERSON.test(cell)));
  if (codes.size > 0) {
    return {
      codes: [...codes.values()],
      invalidLines: invalidLines.filter(({ line }) => !walletLines.has(line)),
      isPeopleList: false,
      otherTokenId: null,
      walletCount: walletLines.size,
    };
  }
  const isPeopleList = otherTokenId === null && people.length > 0 && people.length >= rows.length / 2;
  return { codes: [], invalidLines, isPeopleList, otherTokenId, walletCount: 0 };
}

interface Row {
  line: number;
  text: string;
  cells: string[];
}

function readLines(text: string): Row[] {
  return splitLines(text)
    .map((line, index) => ({ line: index + 1, text: line.trim(), cells: splitCells(line) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
}

/**
 * Splits a line of a CSV file at commas, semicolons and tabs that are not in quotes. The quotes are dropped.
 */
function splitCells(line: string): string[] {
  const cells = [''];
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && [',', ';', '\t'].includes(character)) cells.push('');
    else cells[cells.length - 1] += character;
  }
  return cells.map((cell) => cell.trim());
}

/** Reads the JSON response of `POST …/claimLinks`. Returns null if the text is something else. */
function parseResponse(text: string): Row[] | null {
  if (!text.trimStart().startsWith('{')) return null;
  try {
    const { items } = JSON.parse(text) as { items?: { code?: unknown; identifier?: unknown }[] };
    if (!Array.isArray(items)) return null;
    const rows = items.map(({ code, identifier }) => [String(code ?? ''), String(identifier ?? '')]);
    // The titles are line 0, so that the items are counted from 1.
    return [['code', 'identifier'], ...rows].map((cells, index) => ({
      line: index,
      text: cells.join(' ').trim(),
      cells,
    }));
  } catch {
    return null;
  }
}

/** Whether a row contains no code, but the title of a column with codes, links or their ids. */
function isTitleRow(row: Row, scope: LinkScope): boolean {
  const found = findCode(row.cells, scope);
  const hasTitle = row.cells.some((cell) => /^(claim ?)?(code|url|link)s?$|^claimlink(id)?$/i.test(cell));
  return 'problem' in found && found.problem === 'noCode' && hasTitle;
}

function findCode(
  cells: readonly string[],
  scope: LinkScope,
): { code: string; column: number } | { problem: LineProblem } {
  let problem: LineProblem = 'noCode';
  for (const [column, cell] of cells.entries()) {
    const result = /^https?:\/\//i.test(cell) ? findCodeInLink(cell, scope) : findCodeInCell(cell);
    if (result === 'otherToken' || result === 'otherSite') problem = result;
    else if (result !== null) return { code: result, column };
  }
  return { problem };
}

// Words without a digit are the name of a person. Only one of 17,000 codes has no digit.
function findCodeInCell(cell: string): string | null {
  return /\s/.test(cell) && !/\d/.test(cell) ? null : findLongCode(cell);
}

function findCodeInLink(
  link: string,
  { tokenId, origins }: LinkScope,
): string | 'otherToken' | 'otherSite' | null {
  if (!URL.canParse(link)) return null;
  const { origin, pathname, hash } = new URL(link);
  const code = findLongCode(hash.slice(1));
  const linkedId = findLinkedId(pathname);
  if (code === null || linkedId === null) return null;
  if (!origins.includes(origin)) return 'otherSite';
  return linkedId === tokenId ? code : 'otherToken';
}

/** The badge that a row has a link to. */
function findTokenId(cells: readonly string[]): number | null {
  const ids = cells.map((cell) => (URL.canParse(cell) ? findLinkedId(new URL(cell).pathname) : null));
  return ids.find((id) => id !== null) ?? null;
}

function findLinkedId(pathname: string): number | null {
  const id = /^\/claim\/(\d+)\/?$/.exec(pathname)?.[1];
  return id === undefined ? null : Number(id);
}

/**
 * Returns the cell in the column with the names. Without such a column, returns the first cell that may be a
 * name. Returns null if there is none.
 */
function findName(cells: readonly string[], nameColumn: number, codeColumn: number): string | null {
  const name =
    nameColumn === -1
      ? cells.find((cell, column) => column !== codeColumn && /\p{L}{2}/u.test(cell) && !isMachineText(cell))
      : cells[nameColumn];
  return name === undefined || name === '' ? null : name;
}

/**
 * Whether a cell is an id, a date, a link, a status, null or a code. Lists of claim links contain these, and
 * none is a name.
 */
function isMachineText(cell: string): boolean {
  return (
    /^(https?:|[0-9a-f]{8}-[0-9a-f-]{27}$|\d{4}-\d\d-\d\dT|(null|unused|used|revoked|expired)$)/i.test(
      cell,
    ) || findCodeInCell(cell) !== null
  );
}

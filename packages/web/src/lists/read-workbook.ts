import { strFromU8, unzipSync } from 'fflate';
import { Parser } from 'saxen';
import { ListFileError } from './list-file-error.ts';
import { createListCounter, LIST_LIMITS } from './list-limits.ts';

/** A row of a list. Empty cells at its end are left out. */
export interface ListRow {
  /** The number of the row or line in the file, from 1. */
  line: number;
  cells: string[];
  /** Whether a spreadsheet program does not show it, for example because of a filter. */
  isHidden?: boolean;
}

export interface Sheet {
  name: string;
  isHidden: boolean;
}

export interface Workbook {
  /** The sheets with cells; a chart is none. */
  sheets: Sheet[];
  /** The place in `sheets` of the sheet that was read. */
  sheet: number;
  /** The rows that are not empty. */
  rows: ListRow[];
}

/**
 * Reads a sheet of an .xlsx file: the one at this place or, without a place, the one that was open when the
 * file was saved. Each cell is a text, formulas are their last results. Throws a `ListFileError`.
 */
export function readWorkbook(bytes: Uint8Array, place?: number): Workbook {
  const unpack = createUnpacker(bytes);
  const office = findPart(unpack, '_rels/.rels', /\/officeDocument$/) ?? 'xl/workbook.xml';
  const { sheets, activeSheet } = readSheetList(unpack, office);
  if (sheets.length === 0) throw new ListFileError('noSheet');
  const sheet = sheets[place ?? -1] === undefined ? activeSheet : (place ?? 0);
  const texts = findPart(unpack, relationsOf(office), /\/sharedStrings$/);
  const rows = readRows(
    unpack(sheets[sheet]?.part ?? '') ?? '',
    texts === null ? [] : readSharedTexts(unpack(texts) ?? ''),
  );
  return { sheets: sheets.map(({ name, isHidden }) => ({ name, isHidden })), sheet, rows };
}

/** A sheet of Excel has no more. */
const MAX_SHEET_ROWS = 1_048_576;

type Unpack = (name: string) => string | null;

/**
 * Returns a function that unpacks a part of the archive; null if there is none. Only what is asked for is
 * unpacked.
 */
function createUnpacker(bytes: Uint8Array): Unpack {
  let unpackedBytes = 0;
  return (name) => {
    let parts = 0;
    const wanted = name.toLowerCase();
    try {
      const found = unzipSync(bytes, {
        filter: (part) => {
          parts += 1;
          if (parts > LIST_LIMITS.parts) throw new ListFileError('tooMuch');
          if (part.name.replace(/^\//, '').toLowerCase() !== wanted) return false;
          // Not more than this is unpacked, also if the archive is wrong about the size.
          unpackedBytes += part.originalSize;
          if (unpackedBytes > LIST_LIMITS.unpackedBytes) throw new ListFileError('tooMuch');
          return true;
        },
      });
      const [content] = Object.values(found);
      return content === undefined ? null : strFromU8(content);
    } catch (error) {
      throw error instanceof ListFileError ? error : new ListFileError('noSheet', error);
    }
  };
}

/** The name without its prefix, which some programs write. */
const localName = (name: string) => name.slice(name.indexOf(':') + 1);

/** Calls `onTag` for each element. */
function readTags(
  xml: string,
  onTag: (name: string, attributes: () => Record<string, string>) => void,
): void {
  parseXml(
    new Parser().on('openTag', (name, getAttributes, decode) =>
      onTag(localName(name), () =>
        Object.fromEntries(Object.entries(getAttributes()).map(([key, value]) => [key, decode(value)])),
      ),
    ),
    xml,
  );
}

function parseXml(parser: Parser, xml: string): void {
  try {
    parser.parse(xml.replace(/^\ufeff/, ''));
  } catch (error) {
    throw error instanceof ListFileError ? error : new ListFileError('noSheet', error);
  }
}

const relationsOf = (part: string) => part.replace(/([^/]+)$/, '_rels/$1.rels');

interface Relation {
  id: string;
  type: string;
  part: string;
}

function readRelations(unpack: Unpack, name: string): Relation[] {
  const relations: Relation[] = [];
  // `xl/_rels/workbook.xml.rels` is relative to `xl/`.
  const folder = name.replace(/_rels\/[^/]*$/, '');
  readTags(unpack(name) ?? '<none/>', (tag, attributes) => {
    if (tag !== 'Relationship') return;
    const { Id: id = '', Type: type = '', Target: target = '' } = attributes();
    // Only the path is used.
    const { pathname } = new URL(target, `http://file/${folder}`);
    relations.push({ id, type, part: decodeURIComponent(pathname.slice(1)) });
  });
  return relations;
}

function findPart(unpack: Unpack, name: string, type: RegExp): string | null {
  return readRelations(unpack, name).find((relation) => type.test(relation.type))?.part ?? null;
}

function readSheetList(unpack: Unpack, office: string) {
  const relations = new Map(readRelations(unpack, relationsOf(office)).map((one) => [one.id, one]));
  const sheets: (Sheet & { part: string; tab: number })[] = [];
  let tabs = 0;
  let activeTab = 0;
  readTags(unpack(office) ?? '<none/>', (tag, attributes) => {
    if (tag === 'workbookView') activeTab = Number(attributes().activeTab ?? 0);
    if (tag !== 'sheet') return;
    const all = attributes();
    const id = Object.entries(all).find(([key]) => key !== 'id' && localName(key) === 'id')?.[1] ?? '';
    const relation = relations.get(id);
    // A chart or a dialog has a tab too.
    if (relation !== undefined && /\/worksheet$/.test(relation.type)) {
      const isHidden = /hidden$/i.test(all.state ?? '');
      sheets.push({ name: all.name ?? '', isHidden, part: relation.part, tab: tabs });
    }
    tabs += 1;
  });
  const open = sheets.findIndex(({ tab, isHidden }) => tab === activeTab && !isHidden);
  const shown = open === -1 ? sheets.findIndex(({ isHidden }) => !isHidden) : open;
  return { sheets, activeSheet: Math.max(0, shown) };
}

/** The texts that the cells of all sheets share. */
function readSharedTexts(xml: string): string[] {
  const texts: string[] = [];
  let text = '';
  let isText = false;
  let isPhonetic = false;
  const parser = new Parser()
    .on('openTag', (tag) => {
      const name = localName(tag);
      if (name === 'si') text = '';
      if (name === 'rPh') isPhonetic = true;
      isText = name === 't' && !isPhonetic;
    })
    .on('text', (value, decode) => {
      if (isText) text += decode(value);
    })
    .on('cdata', (value) => {
      if (isText) text += value;
    })
    .on('closeTag', (tag) => {
      const name = localName(tag);
      isText = false;
      if (name === 'rPh') isPhonetic = false;
      if (name === 'si') texts.push(unescapeText(text));
    });
  parseXml(parser, xml);
  return texts;
}

function readRows(xml: string, sharedTexts: readonly string[]): ListRow[] {
  const counter = createListCounter();
  const rows: ListRow[] = [];
  let row: ListRow = { line: 0, cells: [] };
  let column = -1;
  let type = '';
  let value = '';
  let isValue = false;
  let isPhonetic = false;
  const parser = new Parser()
    .on('openTag', (tag, getAttributes) => {
      const name = localName(tag);
      if (name === 'row') {
        const { r, hidden } = getAttributes();
        // A row or a cell without a reference follows the one before it.
        const next = row.line + 1;
        const line = Number(r) > next && Number(r) <= MAX_SHEET_ROWS ? Math.floor(Number(r)) : next;
        row = { line, cells: [], ...(hidden === '1' || hidden === 'true' ? { isHidden: true } : {}) };
        column = -1;
      } else if (name === 'c') {
        const { r, t = 'n' } = getAttributes();
        column = parseColumn(r ?? '') ?? column + 1;
        type = t;
        value = '';
      } else if (name === 'rPh') isPhonetic = true;
      isValue = name === 'v' || (name === 't' && !isPhonetic);
    })
    .on('text', (text, decode) => {
      if (isValue) value += decode(text);
    })
    .on('cdata', (text) => {
      if (isValue) value += text;
    })
    .on('closeTag', (tag) => {
      const name = localName(tag);
      isValue = false;
      if (name === 'rPh') isPhonetic = false;
      else if (name === 'c') {
        const text = type === 's' ? (sharedTexts[Number(value)] ?? '') : formatValue(type, value);
        if (text.trim() === '') return;
        // Also those before it: they are empty, but have a place.
        counter.addCells(Math.max(1, column + 1 - row.cells.length), column, text);
        while (row.cells.length < column) row.cells.push('');
        row.cells[column] = text;
      } else if (name === 'row' && row.cells.length > 0) {
        counter.addRow();
        rows.push(row);
      }
    });
  parseXml(parser, xml);
  return rows;
}

/** Returns the column of a reference such as `AB12`, from 0; null if it names none. */
function parseColumn(reference: string): number | null {
  let column = 0;
  for (const letter of reference.toUpperCase()) {
    const place = letter.charCodeAt(0) - 64;
    if (place < 1 || place > 26) break;
    column = column * 26 + place;
  }
  return column === 0 ? null : column - 1;
}

function formatValue(type: string, value: string): string {
  if (type === 'b') return value === '1' ? 'true' : 'false';
  // An error such as #N/A is nobody's name.
  if (type === 'e') return '';
  return type === 'n' ? value : unescapeText(value);
}

/** Excel writes a character that XML does not have as `_x000D_`. */
function unescapeText(text: string): string {
  return text.replaceAll(/_x([0-9a-fA-F]{4})_/g, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

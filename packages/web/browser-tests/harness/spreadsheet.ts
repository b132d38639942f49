import { strToU8, zipSync } from 'fflate';

export interface SheetOptions {
  name: string;
  rows?: readonly (readonly string[])[];
  /** Rows that a filter hides, from 0. */
  hiddenRows?: readonly number[];
  state?: 'hidden' | 'veryHidden';
  isChart?: boolean;
  /** Without them, as some programs write, cells and rows are found by their order. */
  hasReferences?: boolean;
  /** Instead of the rows: the XML inside of `sheetData`. */
  xml?: string;
}

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGES = 'http://schemas.openxmlformats.org/package/2006';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** An .xlsx file with one sheet of texts. */
export function makeSpreadsheet(rows: readonly (readonly string[])[]): Buffer {
  return makeWorkbook([{ name: 'People', rows }]);
}

/**
 * An .xlsx file with these sheets. `active`: the place of the one that is open. `sharedXml`: the texts that
 * cells share.
 */
export function makeWorkbook(
  sheets: readonly SheetOptions[],
  { active = 0, sharedXml }: { active?: number; sharedXml?: string } = {},
): Buffer {
  const parts: Record<string, string> = {};
  const kinds = sheets.map(({ isChart }) => (isChart ? 'chartsheet' : 'worksheet'));
  const overrides = kinds.map(
    (kind, index) =>
      `<Override PartName="/xl/${kind}s/sheet${index + 1}.xml" ContentType="${TYPES}.${kind}+xml"/>`,
  );
  const relations = kinds.map(
    (kind, index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${kind}" Target="${kind}s/sheet${index + 1}.xml"/>`,
  );
  if (sharedXml !== undefined) {
    relations.push(`<Relationship Id="rIdS" Type="${OFFICE}/sharedStrings" Target="sharedStrings.xml"/>`);
    parts['xl/sharedStrings.xml'] = `<sst xmlns="${MAIN}">${sharedXml}</sst>`;
  }
  const names = sheets.map(({ name, state }, index) => {
    const hidden = state === undefined ? '' : ` state="${state}"`;
    return `<sheet name="${escapeXml(name)}" sheetId="${index + 1}"${hidden} r:id="rId${index + 1}"/>`;
  });
  for (const [index, sheet] of sheets.entries()) {
    const kind = kinds[index];
    parts[`xl/${kind}s/sheet${index + 1}.xml`] = sheet.isChart
      ? `<chartsheet xmlns="${MAIN}"/>`
      : `<worksheet xmlns="${MAIN}"><sheetData>${sheet.xml ?? writeRows(sheet)}</sheetData></worksheet>`;
  }
  parts['[Content_Types].xml'] =
    `<Types xmlns="${PACKAGES}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/>${overrides.join('')}</Types>`;
  parts['_rels/.rels'] =
    `<Relationships xmlns="${PACKAGES}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;
  parts['xl/workbook.xml'] =
    `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><bookViews><workbookView activeTab="${active}"/></bookViews><sheets>${names.join('')}</sheets></workbook>`;
  parts['xl/_rels/workbook.xml.rels'] =
    `<Relationships xmlns="${PACKAGES}/relationships">${relations.join('')}</Relationships>`;
  const files = Object.entries(parts).map(([name, xml]) => [name, strToU8(`<?xml version="1.0"?>${xml}`)]);
  return Buffer.from(zipSync(Object.fromEntries(files)));
}

function writeRows({ rows = [], hiddenRows = [], hasReferences = true }: SheetOptions): string {
  return rows
    .map((cells, row) => {
      const inner = cells.map((cell, column) => {
        const place = hasReferences ? ` r="${String.fromCharCode(65 + column)}${row + 1}"` : '';
        return `<c${place} t="inlineStr"><is><t>${escapeXml(cell)}</t></is></c>`;
      });
      const number = hasReferences ? ` r="${row + 1}"` : '';
      return `<row${number}${hiddenRows.includes(row) ? ' hidden="1"' : ''}>${inner.join('')}</row>`;
    })
    .join('');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

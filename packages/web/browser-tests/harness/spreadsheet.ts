import { strToU8, zipSync } from 'fflate';

/** The smallest .xlsx file with one sheet of texts. */
export function makeSpreadsheet(rows: readonly (readonly string[])[]): Buffer {
  const toXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const sheet = rows
    .map((cells, row) => {
      const inner = cells.map((cell, column) => {
        const place = `${String.fromCharCode(65 + column)}${row + 1}`;
        return `<c r="${place}" t="inlineStr"><is><t>${toXml(cell)}</t></is></c>`;
      });
      return `<row r="${row + 1}">${inner.join('')}</row>`;
    })
    .join('');
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const packages = 'http://schemas.openxmlformats.org/package/2006';
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const parts = {
    '[Content_Types].xml': `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="People" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${sheet}</sheetData></worksheet>`,
  };
  const files = Object.entries(parts).map(([name, xml]) => [name, strToU8(`<?xml version="1.0"?>${xml}`)]);
  return Buffer.from(zipSync(Object.fromEntries(files)));
}

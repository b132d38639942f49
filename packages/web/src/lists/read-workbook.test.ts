import { zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { makeSpreadsheet, makeWorkbook } from '../../browser-tests/harness/spreadsheet.ts';
import { ListFileError } from './list-file-error.ts';
import { LIST_LIMITS } from './list-limits.ts';
import { readListText } from './read-list-text.ts';
import { readWorkbook } from './read-workbook.ts';

const PEOPLE = [['Ada', 'ada@example.org'], [], ['Zoë & <王>', '', 'z@example.org']];

function problemOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return error instanceof ListFileError ? error.problem : String(error);
  }
  return 'none';
}

test('reads the texts of a sheet, with the numbers of their rows', () => {
  expect(readWorkbook(makeSpreadsheet(PEOPLE))).toEqual({
    sheets: [{ name: 'People', isHidden: false }],
    sheet: 0,
    rows: [
      { line: 1, cells: ['Ada', 'ada@example.org'] },
      { line: 3, cells: ['Zoë & <王>', '', 'z@example.org'] },
    ],
  });
});

test('reads cells and rows without references', () => {
  const file = makeWorkbook([{ name: 'People', rows: PEOPLE, hasReferences: false }]);
  expect(readWorkbook(file).rows).toEqual(readWorkbook(makeSpreadsheet(PEOPLE)).rows);
});

test('reads the open sheet, leaves charts out, and any sheet on request', () => {
  const sheets = [
    { name: 'Chart', isChart: true },
    { name: 'Old', rows: [['old@example.org']], state: 'hidden' as const },
    { name: 'Costs', rows: [['cost@example.org']] },
    { name: 'People', rows: PEOPLE },
  ];
  const read = (active: number, place?: number) => readWorkbook(makeWorkbook(sheets, { active }), place);
  expect(read(3).sheets).toEqual([
    { name: 'Old', isHidden: true },
    { name: 'Costs', isHidden: false },
    { name: 'People', isHidden: false },
  ]);
  expect(read(3).rows[0]?.cells[0]).toBe('Ada');
  // A chart and a hidden sheet are not read, although they are open.
  expect(read(0).sheet).toBe(1);
  expect(read(1).sheet).toBe(1);
  expect(read(3, 0).rows[0]?.cells).toEqual(['old@example.org']);
});

test('says which rows are hidden', () => {
  const file = makeWorkbook([{ name: 'Filtered', rows: PEOPLE, hiddenRows: [2] }]);
  expect(readWorkbook(file).rows.map(({ line, isHidden }) => [line, isHidden])).toEqual([
    [1, undefined],
    [3, true],
  ]);
});

test('reads shared texts without their phonetic letters, results of formulas, and no errors', () => {
  const sharedXml =
    '<si><r><t>Ada </t></r><r><t>L.</t></r></si><si><t>王</t><rPh><t>Wang</t></rPh></si><si><t>a_x000D_b</t></si>';
  const cells = [
    '<c t="s"><v>0</v></c>',
    '<c t="s"><v>1</v></c>',
    '<c t="s"><v>2</v></c>',
    '<c t="str"><f>A1&amp;"x"</f><v>x@example.org</v></c>',
    '<c t="e"><v>#N/A</v></c>',
    '<c t="b"><v>1</v></c>',
    '<c><v>3.5</v></c>',
  ];
  const file = makeWorkbook([{ name: 'S', xml: `<row>${cells.join('')}</row>` }], { sharedXml });
  expect(readWorkbook(file).rows[0]?.cells).toEqual([
    'Ada L.',
    '王',
    'a\rb',
    'x@example.org',
    '',
    'true',
    '3.5',
  ]);
});

describe('a file that is made to grow', () => {
  const cell = '<c t="inlineStr"><is><t>a@example.org</t></is></c>';
  test.for([
    [
      'one cell at XFD1048576',
      '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>x</t></is></c></row>',
    ],
    ['too many rows', `<row>${cell}</row>`.repeat(LIST_LIMITS.rows + 1)],
    ['wide rows', `<row>${cell.replace('<c', '<c r="RZ1"')}</row>`.repeat(2_000)],
    ['too many columns', `<row>${cell.repeat(LIST_LIMITS.columns + 1)}</row>`],
    ['many empty cells before one', `<row>${'<c/>'.repeat(LIST_LIMITS.columns)}${cell}</row>`],
  ] as const)('%s', ([, xml]) => {
    const beganAt = performance.now();
    expect(problemOf(() => readWorkbook(makeWorkbook([{ name: 'S', xml }])))).toBe('tooMuch');
    expect(performance.now() - beganAt).toBeLessThan(15_000);
  });

  test('a part that is said to have more than 64 MiB', () => {
    const file = makeWorkbook([{ name: 'S', rows: PEOPLE }], { sharedXml: '<si><t>x</t></si>' });
    // The names in the directory follow 46 bytes, of which these four are the size.
    file.writeUInt32LE(LIST_LIMITS.unpackedBytes, file.lastIndexOf('xl/sharedStrings.xml') - 22);
    expect(problemOf(() => readWorkbook(file))).toBe('tooMuch');
  });

  test('one long text in each cell', () => {
    const xml = '<row><c t="s"><v>0</v></c></row>'.repeat(1_000);
    const sharedXml = `<si><t>${'x'.repeat(32_000)}</t></si>`;
    expect(problemOf(() => readWorkbook(makeWorkbook([{ name: 'S', xml }], { sharedXml })))).toBe('tooMuch');
  });

  test('an archive of many parts, one that is wrong about sizes, and none at all', () => {
    const many = Object.fromEntries(
      Array.from({ length: LIST_LIMITS.parts + 1 }, (_, index) => [`${index}`, new Uint8Array()]),
    );
    expect(problemOf(() => readWorkbook(zipSync(many)))).toBe('tooMuch');
    // The directory says that each part has 10 bytes.
    const lying = makeSpreadsheet(PEOPLE);
    for (let at = lying.indexOf('PK\x01\x02'); at !== -1; at = lying.indexOf('PK\x01\x02', at + 4)) {
      lying.writeUInt32LE(10, at + 24);
    }
    expect(problemOf(() => readWorkbook(lying))).toBe('noSheet');
    expect(problemOf(() => readWorkbook(Buffer.from('PK not an archive')))).toBe('noSheet');
    expect(problemOf(() => readWorkbook(zipSync({ 'word/document.xml': new Uint8Array() })))).toBe('noSheet');
  });

  test('as text, a row far below the others', () => {
    const xml = '<row r="1000000"><c t="inlineStr"><is><t>x</t></is></c></row>';
    expect(problemOf(() => readListText(makeWorkbook([{ name: 'S', xml }]) as Uint8Array<ArrayBuffer>))).toBe(
      'tooMuch',
    );
  });
});

import fc from 'fast-check';
import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { formatCsvCell, readCsvCell } from './csv-cell.ts';

test.each([
  ['a plain text', 'Ada Lovelace', 'Ada Lovelace'],
  ['an e-mail that begins with a plus sign', '+plus@example.org', "'+plus@example.org"],
  ['full-width signs', '＝1', "'＝1"],
  ['a small sign', '﹢1', "'﹢1"],
  ['a formula after a semicolon', 'a;=cmd', `"a;'=cmd"`],
  ['a quoted formula after a semicolon', 'a;"=cmd"', `"a;'""=cmd"""`],
  ['a formula after a line break and spaces', 'a\r\n =1', `"a\r'\n' =1"`],
  ['a formula after a vertical bar', 'a|@SUM(1)', "a|'@SUM(1)"],
  ['an apostrophe before a sign', "'=1", "''=1"],
  ['signs inside a text', 'a=b-c', 'a=b-c'],
])('%s', (_title, text, cell) => {
  expect(formatCsvCell(text)).toBe(cell);
});

const PIECES = [
  '=',
  '+',
  '-',
  '@',
  '＝',
  '＋',
  '－',
  '＠',
  '"',
  "'",
  ',',
  ';',
  '|',
  '\t',
  '\r',
  '\n',
  ' ',
  'a',
];
const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);

test('no cell begins with a sign, whatever separates the cells', () => {
  fc.assert(
    fc.property(fc.array(fc.array(text, { minLength: 1, maxLength: 3 }), { minLength: 1 }), (rows) => {
      const file = rows.map((cells) => `${cells.map(formatCsvCell).join(',')}\r\n`).join('');
      for (const delimiter of [',', ';', '\t', '|']) {
        for (const newline of ['\r\n', '\n'] as const) {
          const { data } = Papa.parse<string[]>(file, { delimiter, newline });
          for (const cell of data.flat()) expect(cell).not.toMatch(/^[\s"]*[=+\-@＝＋－＠]/);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

test('every text is read back as it was', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (cells) => {
      const file = `${cells.map(formatCsvCell).join(',')}\r\n`;
      const { data } = Papa.parse<string[]>(file, { delimiter: ',', newline: '\r\n' });
      expect(data[0]?.map(readCsvCell)).toEqual(cells);
    }),
    { numRuns: 1_000 },
  );
});

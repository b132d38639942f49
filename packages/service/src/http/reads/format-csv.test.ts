import { expect, test } from 'vitest';
import { formatCsvHeader, formatCsvRow } from './format-csv.ts';

test.each([
  ['a plain text', 'Ada Lovelace', 'Ada Lovelace'],
  ['a comma', 'a,b', '"a,b"'],
  ['quotes', 'a"b"', '"a""b"""'],
  ['a line break', 'a\r\nb', '"a\r\nb"'],
  ['an equals sign', '=1+1', "'=1+1"],
  ['a plus sign', '+1@example.org', "'+1@example.org"],
  ['a hyphen', '-1', "'-1"],
  ['an at sign', '@ada', "'@ada"],
  ['a tab', '\t=1', "'\t'=1"],
  ['a carriage return', '\r=1', `"'\r'=1"`],
  ['a full-width equals sign', '＝1', "'＝1"],
  ['a formula with a comma and quotes', '=HYPERLINK("https://x","y")', `"'=HYPERLINK(""https://x"",""y"")"`],
  ['a formula after a semicolon', 'a;=1+1', `"a;'=1+1"`],
  ['a formula after a line break', 'a\n=1+1', `"a\n'=1+1"`],
  ['a sign inside a text', 'a=b-c', 'a=b-c'],
  ['null', null, ''],
  ['a boolean', true, 'true'],
  ['zero', 0, '0'],
  ['a negative number', -1, '-1'],
])('%s is one cell', (_title, value, cell) => {
  expect(formatCsvRow(['value', 'end'], { value, end: 'x' })).toBe(`${cell},x\r\n`);
});

test('a timestamp has a further column with its ISO 8601 time', () => {
  const fields = ['id', 'usedAtTimestamp'];
  expect(formatCsvHeader(fields)).toBe('id,usedAtTimestamp,usedAt\r\n');
  expect(formatCsvRow(fields, { id: 1, usedAtTimestamp: 1_700_000_000_123 })).toBe(
    '1,1700000000123,2023-11-14T22:13:20.123Z\r\n',
  );
  expect(formatCsvRow(fields, { id: 1, usedAtTimestamp: null })).toBe('1,,\r\n');
});

import { expect, test } from 'vitest';
import { ListFileError } from './list-file-error.ts';
import { LIST_LIMITS } from './list-limits.ts';
import { parseTable } from './parse-table.ts';

const read = (text: string) => parseTable(text).map(({ line, cells }) => [line, ...cells]);

test('finds the separator of a copied part of a spreadsheet, with empty lines and one at the end', () => {
  const people = ['Ada\tada@example.org', 'Grace\tgrace@example.org'];
  expect(read(`${people.join('\r\n')}\r\n`)).toEqual([
    [1, 'Ada', 'ada@example.org'],
    [2, 'Grace', 'grace@example.org'],
  ]);
  expect(read(`\n\n${people.join('\n\n')}\n`).map(([line]) => line)).toEqual([3, 5]);
  expect(read('Ada;ada@example.org\n')).toEqual([[1, 'Ada', 'ada@example.org']]);
});

test('a decimal comma is no separator, also if it is in every line', () => {
  expect(read('Ada;3,5;4,5;5,5;ada@example.org\nGrace;1,5;2,5;3,5;g@example.org')[0]).toHaveLength(6);
  expect(read('Name;Betrag;E-Mail\nAda;3,50;ada@example.org')[1]).toEqual([
    2,
    'Ada',
    '3,50',
    'ada@example.org',
  ]);
});

test('a line that names the separator is left out', () => {
  expect(read('sep=;\r\nName;E-Mail\r\nAda;ada@example.org')).toEqual([
    [2, 'Name', 'E-Mail'],
    [3, 'Ada', 'ada@example.org'],
  ]);
});

test('reads JSON: texts, rows, objects, a response of the service, and a value in each line', () => {
  expect(read('["0x1", "0x2"]')).toEqual([
    [1, '0x1'],
    [2, '0x2'],
  ]);
  expect(read('[["Ada", "ada@example.org"]]')).toEqual([[1, 'Ada', 'ada@example.org']]);
  const objects = '[{"name": "Ada", "email": "ada@example.org"}, {"email": "g@example.org", "age": 3}]';
  const rows = [
    [0, 'name', 'email', 'age'],
    [1, 'Ada', 'ada@example.org', ''],
    [2, '', 'g@example.org', '3'],
  ];
  expect(read(objects)).toEqual(rows);
  expect(read(`{"total": 2, "data": ${objects}}`)).toEqual(rows);
  expect(read('{"email": "a@example.org"}\n{"email": "b@example.org"}')).toHaveLength(3);
  // A text that only begins like it.
  expect(read('[Team A], ada@example.org')).toEqual([[1, '[Team A]', ' ada@example.org']]);
});

test('a quote that never ends does not swallow the list', () => {
  expect(read('Ada,ada@example.org\n"Grace,grace@example.org\nEve,eve@example.org')).toHaveLength(3);
});

test.for([
  ['rows', 'a@example.org\n'.repeat(LIST_LIMITS.rows + 1)],
  ['columns', 'a,'.repeat(LIST_LIMITS.columns + 1)],
  ['cells', `${'a,'.repeat(99)}a\n`.repeat(LIST_LIMITS.cells / 100 + 1)],
])('too many %s are refused', ([, text = '']) => {
  expect(() => parseTable(text)).toThrow(ListFileError);
});

import { expect, test } from 'vitest';
import { readPeople } from './read-people.ts';

const ADDRESS = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';

test('lines of a spreadsheet are read, with titles, names, quotes and repetitions', () => {
  const text = `Name\tE-mail\r\nAda Lovelace\tada@example.org\r\n\r\n"Hopper, Grace";"${ADDRESS}"\r\nAda;ADA@example.org`;
  expect(readPeople(text)).toEqual({ people: ['ADA@example.org', ADDRESS], problems: [] });
});

test.each([
  ['Ada', 'noPerson'],
  [ADDRESS.replace('E', 'e'), 'address'],
  ['0x12', 'address'],
  ['1f'.repeat(32), 'secret'],
  [`0x${'1f'.repeat(32)}`, 'secret'],
  [`${'a'.repeat(250)}@example.org`, 'tooLong'],
] as const)('%j is wrong: %s', (text, problem) => {
  expect(readPeople(`ada@example.org\n${text}`).problems).toEqual([{ line: 2, text, problem }]);
  // A text of one line has no titles.
  expect(readPeople(text).problems).toEqual([{ line: 1, text, problem }]);
});

import { expect, test } from 'vitest';
import { readListTable } from '../../lists/read-list-table.ts';
import { toCsv } from '../to-csv.ts';
import { planJob } from './give-job.ts';
import { guessColumns } from './guess-columns.ts';
import { toJobRows } from './job-rows.ts';
import type { PersonLine } from './person-line.ts';
import { planLines } from './plan-lines.ts';
import { readPeople } from './read-people.ts';

const NOBODY = {
  holders: new Set<string>(),
  contributors: new Map(),
  linked: new Set<string>(),
  invitations: new Map(),
  told: new Set<string>(),
  names: new Map(),
};
const WALLET = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
const LIST = `name,email,address,language
Ada,ada@example.org,,es
Bob,bob@@example.org,,
Eve,eve at example.org,,ar
Joe,jörg@example.org,,
Kim,,${WALLET},
Leo,leo@example.org,0x530E6DB7,
May,,0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D004Z,
Ned,ned@example.org,0x0000000000000000000000000000000000000001,
"Pat, Jr.",+pat@example.org,,
Quin,,quin.eth,
`;

function read(list: string | Uint8Array<ArrayBuffer>): PersonLine[] {
  const { rows } = readListTable(list);
  return readPeople(rows, guessColumns(rows));
}

function write(lines: PersonLine[]): string[][] {
  const badge = { tokenId: 7, isAllowlisted: true, signature: null, tokenCreatedAtTimestamp: 0 };
  const { job } = planJob(lines, planLines(lines, true, NOBODY), badge);
  const result = { link: 'https://badge.example/claim/7', result: 'Send this link' };
  return toJobRows(
    job,
    () => result,
    (problem) => `Wrong: ${problem}, after the @`,
  );
}

test('the file is read again without loss', async () => {
  const brought = read(LIST);
  const file = new Uint8Array(await toCsv(write(brought)).arrayBuffer());
  const byName = (lines: PersonLine[]) =>
    lines
      .map(({ name, recipient, email, language }) => ({ name, recipient, email, language }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  expect(byName(read(file))).toEqual(byName(brought));
});

test('a wrong e-mail is in the column of e-mails, and a wrong address in that of addresses', () => {
  const [titles = [], ...rows] = write(read(LIST));
  const cell = (name: string, title: string) =>
    rows.find(([first]) => first === name)?.[titles.indexOf(title)] ?? null;
  for (const [name, email] of [
    ['Bob', 'bob@@example.org'],
    ['Eve', 'eve at example.org'],
    ['Joe', 'jörg@example.org'],
  ] as const) {
    expect([cell(name, 'email'), cell(name, 'address')]).toEqual([email, '']);
  }
  expect([cell('Leo', 'email'), cell('Leo', 'address')]).toEqual(['leo@example.org', '0x530E6DB7']);
  expect([cell('Quin', 'email'), cell('Quin', 'address')]).toEqual(['', 'quin.eth']);
});

test('the file has a column for languages only if the list has languages', () => {
  const [titles] = write(read('ada@example.org'));
  expect(titles).toEqual(['name', 'email', 'address', 'link', 'result']);
});

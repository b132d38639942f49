import { expect, test } from 'vitest';
import { addEdit, editLines, type LineEdits, type PersonLine } from './person-line.ts';

const person = (line: number, recipient: string, part?: number): PersonLine => ({
  line,
  name: '',
  recipient,
  email: '',
  ...(part !== undefined && { part }),
});
const recipients = (lines: readonly PersonLine[], edits: LineEdits) =>
  editLines(lines, edits).map(({ recipient }) => recipient);

test('who was removed stays removed, and a correction stays, when the columns are read again', () => {
  const read = () => [
    person(1, 'ann@x.org'),
    person(1, 'eve@x.org', 2),
    person(2, 'bob@'),
    person(3, 'c@x.org'),
  ];
  let edits: LineEdits = new Map();
  edits = addEdit(edits, person(1, 'eve@x.org', 2), 'removed');
  edits = addEdit(edits, person(2, 'bob@'), { recipient: 'bob@x' });
  // What is corrected again is the line as it is shown.
  edits = addEdit(edits, person(2, 'bob@x'), { recipient: 'bob@x.org' });
  expect(recipients(read(), edits)).toEqual(['ann@x.org', 'bob@x.org', 'c@x.org']);
  expect(recipients(read(), edits)).toEqual(['ann@x.org', 'bob@x.org', 'c@x.org']);
  // Another column has another recipient.
  expect(recipients([person(2, 'office@x.org')], edits)).toEqual(['office@x.org']);
});

test('lines that nobody has changed stay the same objects', () => {
  const lines = [person(1, 'ann@x.org'), person(2, 'bob@')];
  const edits = addEdit(new Map(), person(2, 'bob@'), { recipient: 'bob@x.org' });
  expect(editLines(lines, edits)[0]).toBe(lines[0]);
});

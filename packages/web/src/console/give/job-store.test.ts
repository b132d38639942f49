import { expect, test } from 'vitest';
import { addNames } from './job-store.ts';

const person = (recipient: string, name: string) => ({ line: 1, recipient, name, email: '' });

test('a line that is a repetition keeps the name of the first, and a newer list that of its own', () => {
  const first = addNames(new Map(), [
    person('ada@example.org', 'Ada Lovelace'),
    person('bob@example.org', ''),
    person('ADA@example.org', 'Somebody else'),
    person('bob@example.org', 'Bob Ray'),
    person('ada@example.org', ''),
  ]);
  expect([...first].sort()).toEqual([
    ['ada@example.org', 'Ada Lovelace'],
    ['bob@example.org', 'Bob Ray'],
  ]);
  const second = addNames(first, [
    person('ada@example.org', 'Ada King'),
    person('cem@example.org', 'Cem Tan'),
    person('ada@example.org', 'A. King'),
  ]);
  expect([...second].sort()).toEqual([
    ['ada@example.org', 'Ada King'],
    ['bob@example.org', 'Bob Ray'],
    ['cem@example.org', 'Cem Tan'],
  ]);
});

import { CSV_FIELDS } from '@badge/protocol/csv-fields';
import { expect, test } from 'vitest';
import { startChoices, toMapping } from './csv-form.tsx';
import { chooseField, FIELD_GROUPS, findDateOrder, guessMapping } from './csv-mapping.ts';
import { readCsvColumns } from './read-csv-columns.ts';

const columnsOf = (csv: string) => readCsvColumns(new Blob([csv]));

test('every field is about the badge or about the person', () => {
  expect([...FIELD_GROUPS.badge, ...FIELD_GROUPS.person]).toEqual(Object.keys(CSV_FIELDS));
});

test.for([
  [
    ['Event', 'Wallet', 'E-mail', 'Full name', 'Claimed on', 'Colour'],
    { headline: 'Event', address: 'Wallet', email: 'E-mail', name: 'Full name', claimedAt: 'Claimed on' },
  ],
  [
    ['badgeId', 'headline', 'person', 'claimedAt', 'expiresAt'],
    {
      badgeId: 'badgeId',
      headline: 'headline',
      person: 'person',
      claimedAt: 'claimedAt',
      expiresAt: 'expiresAt',
    },
  ],
  [
    ['Título', 'Correo electrónico', 'Fecha de emisión'],
    { headline: 'Título', email: 'Correo electrónico', claimedAt: 'Fecha de emisión' },
  ],
  [['owner', 'holder'], { person: 'owner' }],
  [['Colour'], {}],
] as const)('%j is guessed', ([titles, mapping]) => {
  expect(guessMapping(titles)).toEqual(mapping);
});

test('a field has one column, and a column one field', () => {
  const mapping = { headline: 'A', email: 'B' };
  expect(chooseField(mapping, 'B', 'headline')).toEqual({ headline: 'B' });
  expect(chooseField(mapping, 'C', 'email')).toEqual({ headline: 'A', email: 'C' });
  expect(chooseField(mapping, 'A', 'none')).toEqual({ email: 'B' });
});

test.for([
  ['a;b\n1;2\n;4\n', ['a', 'b']],
  ['sep=|\r\na|b\r\n1|2\r\n', ['a', 'b']],
  ['\ufeffa\tb\n1\t2\n', ['a', 'b']],
  // Of two columns with the same title, the service reads the first one.
  ['a,,a,=b,c\n1,2,3,4,5\n', ['a', 'c']],
  ['"a, b","c"\n1,2\n', ['a, b', 'c']],
  ['\n\n', []],
] as const)('%j has the columns %j', async ([csv, titles]) => {
  expect((await columnsOf(csv)).map(({ title }) => title)).toEqual(titles);
});

test('a column has the texts of its first rows, also in a large file', async () => {
  const text = 'é'.repeat(50);
  const columns = await columnsOf(`text,number\n,1\n${`${text},2\n`.repeat(10_000)}`);
  expect(columns.map(({ title, texts }) => [title, texts.length])).toEqual([
    ['text', 999],
    ['number', 1_000],
  ]);
  expect(new Set(columns[0]?.texts)).toEqual(new Set([text]));
  expect(columns[1]?.texts.slice(0, 3)).toEqual(['1', '2', '2']);
});

test.for([
  [['1/2/2026'], { order: null, date: '1/2/2026' }],
  [['01-02-2026 10:00'], { order: null, date: '01-02-2026 10:00' }],
  [['1/2/2026', '13/2/2026'], { order: 'dmy', date: null }],
  [['1/2/2026', '2/13/2026'], { order: 'mdy', date: null }],
  [['02/2/2026', '1.2.2026', '2026-02-01', 'x'], { order: null, date: null }],
] as const)('the dates %j have the order %j', ([texts, found]) => {
  const columns = [{ title: 'when', texts: [...texts] }];
  expect(findDateOrder({ claimedAt: 'when' }, columns)).toEqual(found);
  expect(findDateOrder({ headline: 'when' }, columns)).toEqual({ order: null, date: null });
});

test('the mapping has what the file does not say', async () => {
  const choices = startChoices(await columnsOf('wallet\n0x1\n'));
  expect(toMapping(choices)).toBeNull();
  const complete = { ...choices, headline: ' Meetup ' };
  const mapping = { address: 'wallet', headline: '=Meetup', status: '=claimed' };
  expect(toMapping(complete)).toEqual(mapping);
  const { status: _, ...listed } = mapping;
  expect(toMapping({ ...complete, isHeld: false })).toEqual(listed);
});

test('nothing is added to what the file says', async () => {
  const choices = startChoices(await columnsOf('badge,email,claimed\nMeetup,ada@example.org,1/2/2026\n'));
  const complete = { ...choices, headline: 'unused' };
  expect(toMapping(complete)).toBeNull();
  expect(toMapping({ ...complete, dateOrder: 'dmy' })).toEqual({
    headline: 'badge',
    email: 'email',
    claimedAt: 'claimed',
    dateOrder: 'dmy',
  });
});

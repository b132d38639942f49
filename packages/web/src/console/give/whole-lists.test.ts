import { formatCsvCell } from '@badge/protocol/csv-cell';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeWorkbook } from '../../../browser-tests/harness/spreadsheet.ts';
import { readListTable } from '../../lists/read-list-table.ts';
import { guessColumns } from './guess-columns.ts';
import { judgeLines } from './judge-lines.ts';
import { readPeople } from './read-people.ts';

// Lists of every form, as people bring them. Whatever the form, nobody vanishes, and no name is wrong.

interface Person {
  name: string;
  email: string;
  address: string;
}

const NAMES = [
  'Ada Lovelace',
  'José Peña',
  'Zoë Groß',
  "Conan O'Brien",
  '王小明',
  'عمر حسن',
  '=Ada',
  'Ann-Lee B.',
];

const person = fc
  .record({
    name: fc.constantFrom(...NAMES),
    local: fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/),
    sign: fc.constantFrom('', '+', '.x', '-1'),
    isPlus: fc.boolean(),
    address: fc.stringMatching(/^[1-9a-f][0-9a-f]{39}$/),
    has: fc.constantFrom('email', 'address', 'both', 'wrong'),
  })
  .map(({ name, local, sign, isPlus, address, has }) => ({
    name,
    email:
      has === 'address'
        ? ''
        : `${isPlus ? '+' : ''}${local}${sign}${has === 'wrong' ? ' at ' : '@'}example.org`,
    address: has === 'email' || has === 'wrong' ? '' : `0x${address}`,
  }));
const people = fc.array(person, { minLength: 1, maxLength: 12 });

const TITLES = [
  ['Name', 'E-mail', 'Wallet'],
  ['Nombre completo', 'Correo electrónico', 'Monedero'],
  ['الاسم', 'البريد الإلكتروني', 'المحفظة'],
  ['Name', 'E-Mail-Adresse', 'Walletadresse'],
  ['Nom', 'Courriel', 'Portefeuille'],
];
const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const cellsOf = ({ name, email, address }: Person) => [name, email, address];

const layout = fc.record({
  titles: fc.constantFrom(...TITLES),
  heading: fc.constantFrom<string[][]>(
    [],
    [['Attendees 2026']],
    [['Attendees 2026'], [], ['Contact: office@example.org']],
  ),
  blankEvery: fc.constantFrom(0, 1, 3),
  end: fc.constantFrom('', '\n', '\r\n\r\n'),
});

/** The rows of a table with titles, below a heading and with empty rows. */
function tableOf(
  list: readonly Person[],
  { titles, heading, blankEvery }: { titles: string[]; heading: string[][]; blankEvery: number },
) {
  const rows = list.flatMap((one, index) =>
    blankEvery > 0 && index % blankEvery === 0 ? [[], cellsOf(one)] : [cellsOf(one)],
  );
  return [...heading, titles, ...rows];
}

interface Brought {
  source: string | Uint8Array<ArrayBuffer>;
  list: Person[];
  /** Whether the form has names. */
  hasNames: boolean;
}

const csv = fc
  .record({
    list: people,
    layout,
    separator: fc.constantFrom(',', ';', '\t', '|'),
    newline: fc.constantFrom('\n', '\r\n', '\r'),
    writesSeparator: fc.boolean(),
    isOurs: fc.boolean(),
  })
  .map(({ list, layout: form, separator, newline, writesSeparator, isOurs }): Brought => {
    const write = isOurs && separator === ',' ? formatCsvCell : quote;
    const lines = tableOf(list, form).map((cells) => cells.map(write).join(separator));
    const first = writesSeparator ? [`sep=${separator}`] : [];
    return { source: [...first, ...lines].join(newline) + form.end, list, hasNames: true };
  });

const workbook = fc
  .record({
    list: people,
    layout,
    hidden: fc.array(fc.nat(30)),
    hasReferences: fc.boolean(),
    active: fc.nat(2),
  })
  .map(({ list, layout: form, hidden, hasReferences, active }): Brought => {
    const rows = tableOf(list, form);
    const first = rows.length - rows.slice(rows.indexOf(form.titles)).length + 1;
    const sheet = { name: 'P', rows, hasReferences, hiddenRows: hidden.map((row) => row + first) };
    const chart = { name: 'Chart', isChart: true };
    const other = { name: 'Other', rows: [['other@example.org']] };
    const sheets = [sheet, chart, other];
    const order = [...sheets.slice(active), ...sheets.slice(0, active)];
    const bytes = makeWorkbook(order, { active: order.indexOf(sheet) });
    return { source: new Uint8Array(bytes), list, hasNames: true };
  });

const json = fc.record({ list: people, isObject: fc.boolean() }).map(
  ({ list, isObject }): Brought => ({
    source: JSON.stringify(isObject ? list : list.map(({ email, address }) => address || email)),
    list: isObject ? list : list.map((one) => (one.address === '' ? one : { ...one, email: '' })),
    hasNames: isObject,
  }),
);

const reachable = fc
  .array(
    person.filter(({ email, address }) =>
      email.includes('@') ? address === '' : address !== '' && email === '',
    ),
    { minLength: 1, maxLength: 12 },
  )
  .filter((list) => list.every(({ name }) => !/[=,]/.test(name)));
const lines = fc
  .record({
    list: reachable,
    separator: fc.constantFrom(', ', ';', ' ', '\n', '\r\n\r\n', ',\n', '\t', ' | '),
  })
  // An e-mail and an address in one line are those of one person.
  .filter(
    ({ list, separator }) =>
      separator.includes('\n') || new Set(list.map(({ email }) => email === '')).size === 1,
  )
  .map(
    ({ list, separator }): Brought => ({
      source: list.map(({ email, address }) => email || address).join(separator),
      list,
      hasNames: false,
    }),
  );
const mails = fc
  .record({
    list: fc.array(
      person.filter(({ email, address, name }) => email.includes('@') && address === '' && name !== '=Ada'),
      { minLength: 1, maxLength: 12 },
    ),
    separator: fc.constantFrom(', ', '; ', '\n', ';\r\n'),
  })
  .map(
    ({ list, separator }): Brought => ({
      source: list.map(({ name, email }) => `${name} <${email}>`).join(separator),
      list,
      hasNames: true,
    }),
  );

test.each([
  ['CSV', csv],
  ['workbooks', workbook],
  ['JSON', json],
  ['e-mails and addresses with any separator', lines],
  ['names and e-mails as mail programs write them', mails],
])('%s: the numbers on the page are all people, and the names are right', (_form, brought) => {
  fc.assert(
    fc.property(brought, ({ source, list, hasNames }) => {
      const { rows } = readListTable(source);
      const shown = rows.filter(({ isHidden }) => isHidden !== true);
      const hiddenCount = rows.length - shown.length;
      const read = readPeople(shown, guessColumns(shown));
      const nobody = {
        holders: new Set<string>(),
        contributors: new Map(),
        linked: new Set<string>(),
        invitations: new Map(),
        told: new Set<string>(),
      };
      const judged = judgeLines(read, true, nobody);
      // Every line is counted by what happens with it, and each hidden row is said.
      expect(judged.length + hiddenCount).toBe(list.length);
      for (const line of read) {
        const judgement = judged[read.indexOf(line)];
        const whom = list.filter(({ email, address }) => [email, address].includes(line.recipient));
        expect(whom.length).toBeGreaterThan(0);
        if (hasNames) expect(whom.map(({ name }) => name)).toContain(line.name);
        else expect(line.name).toBe('');
        expect(judgement?.kind === 'wrong').toBe(!/@|^0x/.test(line.recipient));
        if (line.email !== '') expect(whom.map(({ email }) => email)).toContain(line.email);
      }
    }),
    { numRuns: 150 },
  );
});

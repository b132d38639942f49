import { formatCsvCell } from '@badge/protocol/csv-cell';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeWorkbook } from '../../../browser-tests/harness/spreadsheet.ts';
import { parseTable } from '../../lists/parse-table.ts';
import { readListTable } from '../../lists/read-list-table.ts';
import { guessColumns } from './guess-columns.ts';
import type { PersonLine } from './person-line.ts';
import { planLines } from './plan-lines.ts';
import { readPeople } from './read-people.ts';

const A = '0x52908400098527886E0F7030069857D2E4169EE7';
const B = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
const C = '0x000000000000000000000000000000000000dEaD';

function peopleOf(text: string): PersonLine[] {
  const rows = parseTable(text);
  return readPeople(rows, guessColumns(rows));
}

/** The lines as `line|name|recipient|email`. */
function read(text: string): string[] {
  return peopleOf(text).map(({ line, name, recipient, email }) => [line, name, recipient, email].join('|'));
}

const unusedOf = (text: string) => peopleOf(text).map(({ unused = [] }) => unused);

test('reads one recipient per line, with any line breaks, and leaves out empty lines', () => {
  expect(read(`\ufeffada@example.org\r\n\r\n  ${A} \r\ngrace@example.org\r\n`)).toEqual([
    '1||ada@example.org|',
    `3||${A}|`,
    '4||grace@example.org|',
  ]);
});

test.for([
  ['ann@example.org, bob@example.org, eve@example.org'],
  ['ann@example.org;bob@example.org;eve@example.org'],
  ['ann@example.org bob@example.org eve@example.org'],
  ['ann@example.org, bob@example.org; eve@example.org'],
  ['ann@example.org | <bob@example.org>,\tmailto:eve@example.org'],
])('everybody on one line is a line of its own: %j', ([text = '']) => {
  expect(peopleOf(text).map(({ line, part, recipient }) => [line, part ?? 1, recipient])).toEqual([
    [1, 1, 'ann@example.org'],
    [1, 2, 'bob@example.org'],
    [1, 3, 'eve@example.org'],
  ]);
});

test.for([
  ['Ann <ann@example.org>; Bob B. <bob@example.org>'],
  ['Ann <ann@example.org>, "Bob B." <bob@example.org>,'],
  ['Ann ann@example.org; Bob B. bob@example.org'],
])('names beside the e-mails of one line: %j', ([text = '']) => {
  expect(read(text)).toEqual(['1|Ann|ann@example.org|', '1|Bob B.|bob@example.org|']);
});

test('addresses on one line, and people who are there twice', () => {
  expect(read(`${A},${B}`)).toEqual([`1||${A}|`, `1||${B}|`]);
  expect(read('a@example.org, b@example.org, a@example.org')).toHaveLength(3);
  expect(read(`${A}\n${A},${B}\n${C}`)).toHaveLength(4);
});

test('reads addresses as mail programs write them', () => {
  expect(read('Ada Lovelace <ada@example.org>\n"Hopper, Grace" <grace@example.org>')).toEqual([
    '1|Ada Lovelace|ada@example.org|',
    '2|Hopper, Grace|grace@example.org|',
  ]);
  expect(read('Lovelace, Ada <ada@example.org>; Hopper, Grace <grace@example.org>')).toEqual([
    '1|Lovelace, Ada|ada@example.org|',
    '1|Hopper, Grace|grace@example.org|',
  ]);
});

test.for([',', ';', '\t'])(
  'finds columns without titles by what is in them (separated by %j)',
  (separator) => {
    const rows = [
      ['Ada Lovelace', '12/10/2026', 'ada@example.org', ''],
      ['Grace Hopper', '12/11/2026', 'grace@example.org', A],
      ['王小明', '12/11/2026', '', B],
    ];
    expect(read(rows.map((cells) => cells.join(separator)).join('\r\n'))).toEqual([
      '1|Ada Lovelace|ada@example.org|',
      `2|Grace Hopper|${A}|grace@example.org`,
      `3|王小明|${B}|`,
    ]);
  },
);

test.for([
  ['Name;E-Mail;Wallet address'],
  ['nombre completo;Correo electrónico;Dirección'],
  ['الاسم;البريد الإلكتروني;العنوان'],
  ['Name;E-Mail-Adresse;Wallet'],
  ['Nom complet;Adresse e-mail;Portefeuille'],
])('leaves out the titles %j, and takes wrong cells of their columns', ([titles]) => {
  expect(read(`${titles}\nAda;ada at example.org;\nGrace;;0x123\n"Hopper; Grace";;`)).toEqual([
    '2|Ada|ada at example.org|',
    '3|Grace|0x123|',
    '4|Hopper; Grace||',
  ]);
});

test.for([
  ['First name,Last name,Email', 'Ann,Lee'],
  ['Nachname,Vorname,E-Mail', 'Lee,Ann'],
  ['Name,Vorname,E-Mail', 'Lee,Ann'],
  ['Nombre,Apellidos,Correo', 'Ann,Lee'],
  ['Nom,Prénom,Courriel', 'Lee,Ann'],
  ['الاسم الأول,اسم العائلة,البريد الإلكتروني', 'Ann,Lee'],
  ['First name,Last name,Full name,Email', 'Ann,Lee,Ann Lee'],
  ['Company,Full name,Email', 'Example Inc.,Ann Lee'],
  ['Organization;Surname;Given name;Email', 'Example Inc.;Lee;Ann'],
])('the name under %j', ([titles = '', cells]) => {
  const separator = titles.includes(';') ? ';' : ',';
  expect(read(`${titles}\n${cells}${separator}ann@example.org`)).toEqual(['2|Ann Lee|ann@example.org|']);
});

test('names and titles are found below a heading and empty lines', () => {
  const list =
    'Teilnehmer 2026;;\n\nKontakt: office@example.org;;\nNachname;Vorname;E-Mail\nLee;Ann;ann@example.org';
  expect(read(list)).toEqual(['5|Ann Lee|ann@example.org|']);
  expect(guessColumns(parseTable(list)).titleLine).toBe(4);
});

test('a column whose title is not that of a name is none', () => {
  expect(read('Email,Country\nann@example.org,Germany')).toEqual(['2||ann@example.org|']);
  expect(read('Email,Company name\nann@example.org,Example Inc.')).toEqual(['2||ann@example.org|']);
});

test('without titles, a place is no name, and of two possible names none is used', () => {
  const people = ['Ann', 'Bob', 'Cem', 'Dora', 'Eve'].map((name) => `${name},Berlin,${name}@example.org`);
  expect(read(people.join('\n'))[1]).toBe('2|Bob|Bob@example.org|');
  const rows = parseTable('Ann,Lee,ann@example.org\nBob,Ray,bob@example.org');
  const mapping = guessColumns(rows);
  expect(mapping.isNameAsked).toBe(true);
  expect(readPeople(rows, mapping)[0]?.name).toBe('');
  const chosen = { ...mapping, roles: ['firstName', 'lastName', 'email'] as const };
  expect(readPeople(rows, { ...chosen, roles: [...chosen.roles] })[0]?.name).toBe('Ann Lee');
});

test('the files of the service and of the console are read back', () => {
  const contributors = `contributor,address,hasClaimed\n${A},${A},false\nada@example.org,${B},true\n${formatCsvCell('+plus@example.org')},,false`;
  expect(read(contributors)).toEqual([`2||${A}|`, `3||${B}|ada@example.org`, '4||+plus@example.org|']);
  expect(unusedOf(contributors)).toEqual([[], [], []]);
  const result = `name,email,address,link,result\n${formatCsvCell('=Ada, L.')},${formatCsvCell('+a@example.org')},,https://badge.example/claim/1#x,Send`;
  expect(read(result)).toEqual(['2|=Ada, L.|+a@example.org|']);
  expect(read(`address,claimedAtTimestamp,claimedAt\n${A},1,2026`)).toEqual([`2||${A}|`]);
});

test('of two columns of addresses, the one of the receivers is used', () => {
  for (const titles of ['token_address,receiver', 'From,To', 'Contract,Holder']) {
    expect(read(`${titles}\n${C},${A}\n${C},${B}`)).toEqual([`2||${A}|`, `3||${B}|`]);
    // Nothing is left out without a word.
    expect(unusedOf(`${titles}\n${C},${A}`)).toEqual([[C]]);
  }
});

test('of two columns that nobody can tell apart, people are asked', () => {
  for (const list of [`One,Two\n${C},${A}\n${C},${B}`, `${C},${A}\n${C},${B}`]) {
    const rows = parseTable(list);
    const mapping = guessColumns(rows);
    expect(mapping.asked).toEqual([0, 1]);
    const lines = readPeople(rows, mapping);
    expect(lines.every(({ recipient }) => recipient === '' || recipient === 'One')).toBe(true);
    expect(lines.at(-1)?.unused).toEqual([C, B]);
    const all = readPeople(rows, { ...mapping, roles: ['recipient', 'recipient'], asked: [] });
    expect(all.filter(({ recipient }) => recipient.startsWith('0x'))).toHaveLength(4);
  }
});

test('a street is no wallet', () => {
  expect(read('Name,Address,Email\nAnn,1 Example Road,ann@example.org')).toEqual(['2|Ann|ann@example.org|']);
});

test('a recipient outside of its column is found, and names are not taken for addresses', () => {
  expect(read(`Name,E-mail\nAda,ada@example.org\nGrace,${A}\n${B}`)).toEqual([
    '2|Ada|ada@example.org|',
    `3|Grace|${A}|`,
    `4||${B}|`,
  ]);
});

test('a line says what it has and is not used', () => {
  expect(unusedOf('Email,Parent\nann@example.org,pat@example.org\nbob@example.org,')).toEqual([
    ['pat@example.org'],
    [],
  ]);
  expect(unusedOf('Name,Email\nTeam A,"ann@example.org, bob@example.org"')).toEqual([['Team A'], []]);
  expect(unusedOf('Name,Email,Wallet\nAnn,ann@example.org,none yet')).toEqual([['none yet']]);
  expect(unusedOf('Name,Email,Note\n,,Total: 3')).toEqual([['Total: 3']]);
});

test('reads quotes with quotes and line breaks in them', () => {
  expect(
    read(
      `First name,Last name,Email\n"Ada ""A""",Lovelace,ada@example.org\n"Grace\nB.",Hopper,g@example.org`,
    ),
  ).toEqual(['2|Ada "A" Lovelace|ada@example.org|', '3|Grace B. Hopper|g@example.org|']);
});

test('marks of direction are removed, and letters of names stay joined', () => {
  expect(read(`Name,Wallet\nعلی\u200cرضا,\u202a${A}\u202c`)).toEqual([`2|علی\u200cرضا|${A}|`]);
});

test.for(['Language', 'idioma', 'اللغة', 'Sprache', 'langue'])(
  'reads the column %j with the language of a mail',
  (title) => {
    const list = `Name,E-mail,${title}\nAda,ada@example.org,es\nGrace,grace@example.org,\nOmar,omar@example.org,Arabic`;
    expect(peopleOf(list).map(({ name, language }) => [name, language])).toEqual([
      ['Ada', 'es'],
      ['Grace', ''],
      ['Omar', 'Arabic'],
    ]);
  },
);

test('a line with only a name is a person, and what may be an e-mail or an address with a mistake is none', () => {
  const namesOf = (list: string) =>
    peopleOf(list).map(({ name, recipient, hasOnlyName }) => [name, recipient, hasOnlyName ?? false]);
  const ada = ['Ada Lovelace', '', true];
  expect(namesOf('Ada Lovelace\nGuest 7\nRosa')).toEqual([ada, ['Guest 7', '', true], ['Rosa', '', true]]);
  expect(namesOf('Name\nAda Lovelace')).toEqual([ada]);
  expect(namesOf('Name,E-mail\nAda Lovelace,\nBob,pending')).toEqual([ada, ['Bob', 'pending', false]]);
  expect(namesOf('First name;Last name;E-mail\nAda;Lovelace;')).toEqual([ada]);
  expect(namesOf('grace@example.org\nAda Lovelace\nrosa')).toEqual([
    ['', 'grace@example.org', false],
    ada,
    ['', 'rosa', false],
  ]);
  for (const wrong of ['ada at example.org', 'ada example.org', A.slice(2, 30), `${'word '.repeat(12)}`]) {
    expect(namesOf(`${wrong}\nRosa`)[0]).toEqual(['', wrong.trim(), false]);
  }
});

test('a list without any recipient has only wrong lines, and an empty one has none', () => {
  expect(unusedOf('Ada,Berlin\nGrace,New York')).toEqual([
    ['Ada', 'Berlin'],
    ['Grace', 'New York'],
  ]);
  expect(read(' \n\n')).toEqual([]);
  expect(read('name,email')).toEqual([]);
});

test('says what was read from which column', () => {
  expect(peopleOf(`Nachname,Vorname,E-Mail,Wallet\nLee,Ann,ann@example.org,${A}`)[0]?.columns).toEqual({
    recipient: [3, 2],
    name: [1, 0],
  });
});

test('reads 10,000 lines', () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => `Person,p${index}@example.org`);
  const people = peopleOf(rows.join('\r\n'));
  expect(people).toHaveLength(10_000);
  expect(people.at(-1)).toMatchObject({ line: 10_000, recipient: 'p9999@example.org', email: '' });
});

test('a line of 10,000 people is read before the time limit of a test', () => {
  const people = Array.from({ length: 10_000 }, (_, index) => `p${index}@example.org`);
  for (const separator of [' ', ', ', ';']) expect(peopleOf(people.join(separator))).toHaveLength(10_000);
});

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
        names: new Map(),
      };
      const planned = planLines(read, true, nobody);
      // Every line is counted by what happens with it, and each hidden row is said.
      expect(planned.length + hiddenCount).toBe(list.length);
      for (const line of read) {
        const plan = planned[read.indexOf(line)];
        const whom = list.filter(({ email, address }) => [email, address].includes(line.recipient));
        expect(whom.length).toBeGreaterThan(0);
        if (hasNames) expect(whom.map(({ name }) => name)).toContain(line.name);
        else expect(line.name).toBe('');
        expect(plan?.kind === 'wrong').toBe(!/@|^0x/.test(line.recipient));
        if (line.email !== '') expect(whom.map(({ email }) => email)).toContain(line.email);
      }
    }),
    { numRuns: 150 },
  );
});

import { expect, test } from 'vitest';
import { readPeople } from './read-people.ts';

const A = '0x52908400098527886E0F7030069857D2E4169EE7';
const B = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';

/** The lines as `line|name|recipient|email`. */
function read(text: string): string[] {
  return readPeople(text).map(({ line, name, recipient, email }) => [line, name, recipient, email].join('|'));
}

test('reads one recipient per line, with any line breaks, and leaves out empty lines', () => {
  expect(read(`\ufeffada@example.org\r\n\r\n  ${A} \r\ngrace@example.org\r\n`)).toEqual([
    '1||ada@example.org|',
    `3||${A}|`,
    '4||grace@example.org|',
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
])('leaves out the titles %j, and takes wrong cells of their columns', ([titles]) => {
  expect(read(`${titles}\nAda;ada at example.org;\nGrace;;0x123\n"Hopper; Grace";;`)).toEqual([
    '2|Ada|ada at example.org|',
    '3|Grace|0x123|',
    '4|Hopper; Grace||',
  ]);
});

test('a recipient outside of its column is found, and names are not taken for addresses', () => {
  expect(read(`Name,E-mail\nAda,ada@example.org\nGrace,${A}\n${B}`)).toEqual([
    '2|Ada|ada@example.org|',
    `3|Grace|${A}|`,
    `4||${B}|`,
  ]);
});

test('joins first and last names, and reads quotes with quotes and line breaks in them', () => {
  expect(
    read(
      `First name,Last name,Email\n"Ada ""A""",Lovelace,ada@example.org\n"Grace\nB.",Hopper,g@example.org`,
    ),
  ).toEqual(['2|Ada "A" Lovelace|ada@example.org|', '3|Grace B. Hopper|g@example.org|']);
});

test('a quote that never ends does not swallow the list', () => {
  expect(read('Ada,ada@example.org\n"Grace,grace@example.org\nEve,eve@example.org')).toHaveLength(3);
});

test('reads addresses as mail programs write them', () => {
  expect(read('Ada Lovelace <ada@example.org>\n"Hopper, Grace" <grace@example.org>')).toEqual([
    '1|Ada Lovelace|ada@example.org|',
    '2|Hopper, Grace|grace@example.org|',
  ]);
});

test.for(['Language', 'idioma', 'اللغة'])('reads the column %j with the language of a mail', (title) => {
  const list = `Name,E-mail,${title}\nAda,ada@example.org,es\nGrace,grace@example.org,\nOmar,omar@example.org,Arabic`;
  expect(readPeople(list).map(({ name, language }) => [name, language])).toEqual([
    ['Ada', 'es'],
    ['Grace', ''],
    ['Omar', 'Arabic'],
  ]);
});

test('a list without any recipient has only wrong lines, and an empty one has none', () => {
  expect(read('hello\nworld')).toEqual(['1||hello|', '2||world|']);
  expect(read('Ada,Berlin\nGrace,New York')).toEqual(['1|Ada||', '2|Grace||']);
  expect(read(' \n\n')).toEqual([]);
  expect(read('name,email')).toEqual([]);
});

test('reads 10,000 lines', () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => `Person,p${index}@example.org`);
  const people = readPeople(rows.join('\r\n'));
  expect(people).toHaveLength(10_000);
  expect(people.at(-1)).toEqual({
    line: 10_000,
    name: 'Person',
    recipient: 'p9999@example.org',
    email: '',
    language: '',
  });
});

import { expect, test } from 'vitest';
import { readCodes } from './read-codes.ts';

const A = '0123456789ABCDEFGHJKMNPQRS';
const B = 'TVWXYZ0123456789ABCDEFGHJK';
const SCOPE = { tokenId: 7, origins: ['https://badge.example'] };
const linkTo = (tokenId: number, code: string) => `https://badge.example/claim/${tokenId}#${code}`;

const NOTHING_ELSE = { isPeopleList: false, otherTokenId: null, walletCount: 0 };

function codesOf(text: string): string[] {
  return readCodes(text, SCOPE).codes.map(({ code }) => code);
}

test('reads one code per line', () => {
  expect(readCodes(`${A}\n\r\n${B}\r\n`, SCOPE)).toEqual({
    codes: [
      { code: A, name: null },
      { code: B, name: null },
    ],
    invalidLines: [],
    ...NOTHING_ELSE,
  });
});

test('reads codes as people type them', () => {
  expect(codesOf('01234 56789-abcde fghjk mnpqrs')).toEqual([A]);
  expect(codesOf(A.replace('0', 'o').replace('1', 'l'))).toEqual([A]);
});

test('reads claim links', () => {
  expect(codesOf(`${linkTo(7, A)}\nhttps://badge.example/claim/7/#${B.toLowerCase()}`)).toEqual([A, B]);
});

test('reports each line without a code of this token, and each line that repeats a code', () => {
  const text = [A, 'hello', linkTo(8, B), `https://evil.example/claim/7#${B}`, linkTo(7, 'ABC'), A, B].join(
    '\n',
  );
  expect(readCodes(text, SCOPE)).toEqual({
    codes: [
      { code: A, name: null },
      { code: B, name: null },
    ],
    invalidLines: [
      { line: 2, text: 'hello', problem: 'noCode' },
      { line: 3, text: linkTo(8, B), problem: 'otherToken' },
      { line: 4, text: `https://evil.example/claim/7#${B}`, problem: 'otherSite' },
      { line: 5, text: linkTo(7, 'ABC'), problem: 'noCode' },
      { line: 6, text: A, problem: 'repeated' },
    ],
    ...NOTHING_ELSE,
  });
});

test('reads the columns of a CSV file by their titles', () => {
  const text = `claimLinkId,url,code,identifier\n0d9f…,${linkTo(7, A)},${A},"Lovelace, Ada"\n,${linkTo(7, B)},${B},`;
  expect(readCodes(text, SCOPE)).toEqual({
    codes: [
      { code: A, name: 'Lovelace, Ada' },
      { code: B, name: null },
    ],
    invalidLines: [],
    ...NOTHING_ELSE,
  });
});

test.for([',', ';', '\t'])(
  'without titles, takes the other cell of a line as the name (separated by %j)',
  (separator) => {
    expect(readCodes(`Ada${separator}${A}\n${B}${separator}grace@example.org`, SCOPE).codes).toEqual([
      { code: A, name: 'Ada' },
      { code: B, name: 'grace@example.org' },
    ]);
  },
);

test('does not take ids, dates and states as names', () => {
  const line = [
    '0198c1f0-1111-4222-8333-944455556666',
    A,
    'unused',
    '1790000000000',
    '2026-11-22T10:00:00Z',
  ].join(',');
  expect(readCodes(line, SCOPE).codes).toEqual([{ code: A, name: null }]);
});

test('reads the response of the call that creates claim links', () => {
  const items = [
    { code: A, url: linkTo(7, A), identifier: 'ada@example.org' },
    { code: B, url: linkTo(7, B), identifier: null },
  ];
  expect(readCodes(JSON.stringify({ items }, null, 2), SCOPE)).toEqual({
    codes: [
      { code: A, name: 'ada@example.org' },
      { code: B, name: null },
    ],
    invalidLines: [],
    ...NOTHING_ELSE,
  });
});

test('in a file of the console, people with a wallet are not wrong, and the badge is recognised', () => {
  const file = (tokenId: number) =>
    [
      '"name","email","address","link","result"',
      `"Ana","","0x52908400098527886E0F7030069857D2E4169EE7","https://badge.example/claim/${tokenId}","Can claim it"`,
      `"Ada","ada@example.org","","${linkTo(tokenId, A)}","Got a link"`,
    ].join('\n');
  expect(readCodes(file(7), SCOPE)).toEqual({
    codes: [{ code: A, name: 'Ada' }],
    invalidLines: [],
    ...NOTHING_ELSE,
    walletCount: 1,
  });
  expect(readCodes(file(8), SCOPE)).toMatchObject({ codes: [], isPeopleList: false, otherTokenId: 8 });
});

test.each([
  ['ada@example.org\ngrace@example.org', true],
  ['name,email\n"Lovelace, Ada",ada@example.org\nGrace,grace@example.org', true],
  ['Ada;0x52908400098527886E0F7030069857D2E4169EE7', true],
  // Without spaces, this name has as many letters as a code.
  [`Maximilian Alexander Gardner,max@example.org`, true],
  [`ada@example.org,${A}\ngrace@example.org`, false],
  ['hello\nada@example.org\nworld', false],
  ['hello', false],
  ['', false],
])('tells whether %j is a list of people: %s', (text, isPeopleList) => {
  expect(readCodes(text, SCOPE).isPeopleList).toBe(isPeopleList);
});

// If the time for a line depended on the number of lines, this would take minutes.
test('reads a file of 100,000 lines', () => {
  const lines = Array.from({ length: 100_000 }, (_, index) => `Person ${index},${'"'.repeat(50)}${index}`);
  expect(readCodes(lines.join('\n'), SCOPE).invalidLines).toHaveLength(100_000);
});

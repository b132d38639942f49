import { expect, test } from 'vitest';
import {
  findCodeInHash,
  findLinkOfOtherBadge,
  findPastedCode,
  findTypedCode,
  findWrongLength,
} from './claim-code.ts';

const CODE = '0123456789ABCDEFGHJKMNPQRS';
const OTHER_CODE = '0123456789ABCDEFGHJKMNPQRT';

test.for([
  CODE,
  CODE.toLowerCase(),
  ' 01234-56789 ABCDE-FGHJK-MNPQRS ',
  'oI23456789abcdefghjkmnpqrs',
  'Ol23456789abcdefghjkmnpqrs',
])('reads the code %j', (text) => {
  expect(findTypedCode(text)).toBe(CODE);
});

test.for(['', CODE.slice(1), `${CODE}0`, `U${CODE.slice(1)}`])('findTypedCode(%j) is null', (text) => {
  expect(findTypedCode(text)).toBeNull();
});

test.for([
  ['0123-456', { found: 7, isTooShort: true }],
  ['0123-4567', null],
  ['0123-45678', { found: 9, isTooShort: true }],
  ['https://badge.example/claim/7#0123456', { found: 7, isTooShort: true }],
  [`${CODE}0`, { found: 27, isTooShort: false }],
  [CODE, null],
  ['not a code!', null],
] as const)('findWrongLength(%j) is %j', ([text, expected]) => {
  expect(findWrongLength(text)).toEqual(expected);
});

test.for([
  CODE,
  CODE.replaceAll(/(.{5})/g, '$1-'),
  `https://badge.example/claim/7#${CODE}`,
  `https://badge.example/claim/7#${CODE.replaceAll(/(.{5})/g, '$1-')}`,
  `Hi Ana, your link is https://badge.example/claim/7#${CODE}. It works once.`,
  `Your code: ${CODE}, or https://badge.example/claim/7#${CODE}`,
  `https://${OTHER_CODE}.example/claim/7#${CODE.replaceAll(/(.{5})/g, '$1-')}`,
])('reads the code in %j', (text) => {
  expect(findPastedCode(text)).toBe(CODE);
});

test.for([
  '7K2M-9QPD',
  '7k2m9qpd',
  ' 7k2m 9qpd ',
  'https://badge.example/claim/7#7K2M-9QPD',
  'https://badge.example/claim/7#7k2m9qpd',
  'Room B: open https://badge.example/claim/7#7K2M-9QPD. It works until noon.',
  'The code of the room is 7K2M9QPD, until noon on 20261124.',
  'Please enter 7K2M-9QPD (not well-made up).',
])('reads the code of a room in %j', (text) => {
  expect(findPastedCode(text)).toBe('7K2M9QPD');
});

test.for([
  'complete messages of Ana',
  'a well-made badge',
  '7K2M-9QPD or 7K2M-9QPE',
  'on 20261124 at 12345678',
  'A1B2C3D4-7K2M-9QPD-1234',
])('reads no code of a room from %j', (text) => {
  expect(findPastedCode(text)).toBeNull();
});

test.for([`${CODE} ${OTHER_CODE}`, `${CODE} https://badge.example/claim/7#${OTHER_CODE}`])(
  'reads no code from %j, which has several',
  (text) => {
    expect(findPastedCode(text)).toBeNull();
  },
);

test.for([
  [`https://badge.example/claim/8#${CODE}`, `https://badge.example/claim/8#${CODE}`],
  [
    `Your link: https://badge.example/claim/8#${CODE}. It works once.`,
    `https://badge.example/claim/8#${CODE}`,
  ],
  [`https://badge.example/claim/7#${CODE}`, null],
  [`https://other.example/claim/8#${CODE}`, null],
  ['https://badge.example/claim/8', null],
  [`https://%/claim/8#${CODE}`, null],
  [CODE, null],
] as const)('on the page of badge 7, findLinkOfOtherBadge(%j) is %j', ([text, link]) => {
  const page = { origin: 'https://badge.example', pathname: '/claim/7' };
  expect(findLinkOfOtherBadge(text, page)).toBe(link);
});

test.for([
  ['', null],
  ['#', null],
  [`#${CODE}`, CODE],
  [`#%30${CODE.slice(1)}`, CODE],
  ['#7K2M-9QPD', '7K2M9QPD'],
  ['#0123', 'invalid'],
  ['#%', 'invalid'],
] as const)('reads the fragment %j as %j', ([hash, code]) => {
  expect(findCodeInHash(hash)).toBe(code);
});

import { expect, test } from 'vitest';
import { findWrongLength, readCodeInHash, readPastedCode, readTypedCode } from './claim-code.ts';

const CODE = '0123456789ABCDEFGHJKMNPQRS';

test.for([
  CODE,
  CODE.toLowerCase(),
  ' 01234-56789 ABCDE-FGHJK-MNPQRS ',
  'oI23456789abcdefghjkmnpqrs',
  'Ol23456789abcdefghjkmnpqrs',
])('reads the code %j', (text) => {
  expect(readTypedCode(text)).toBe(CODE);
});

test.for(['', CODE.slice(1), `${CODE}0`, `U${CODE.slice(1)}`])('readTypedCode(%j) is null', (text) => {
  expect(readTypedCode(text)).toBeNull();
});

test.for([
  ['0123-4567', { found: 8, isTooShort: true }],
  ['https://badge.example/claim/7#01234567', { found: 8, isTooShort: true }],
  [`${CODE}0`, { found: 27, isTooShort: false }],
  [CODE, null],
  ['not a code!', null],
] as const)('findWrongLength(%j) is %j', ([text, expected]) => {
  expect(findWrongLength(text)).toEqual(expected);
});

test('reads a code from a pasted link', () => {
  expect(readPastedCode(`https://badge.example/claim/7#${CODE}`)).toBe(CODE);
  expect(readPastedCode(CODE)).toBe(CODE);
});

test.for([
  ['', null],
  ['#', null],
  [`#${CODE}`, CODE],
  [`#%30${CODE.slice(1)}`, CODE],
  ['#0123', 'invalid'],
  ['#%', 'invalid'],
] as const)('reads the fragment %j as %j', ([hash, code]) => {
  expect(readCodeInHash(hash)).toBe(code);
});

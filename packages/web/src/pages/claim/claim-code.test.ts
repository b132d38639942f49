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

test.for(['', CODE.slice(1), `${CODE}0`, `U${CODE.slice(1)}`])('does not take %j for a code', (text) => {
  expect(readTypedCode(text)).toBeNull();
});

test.for([
  ['0123-4567', 8],
  [`${CODE}0`, 27],
  [CODE, null],
  ['not a code!', null],
] as const)('the wrong length of %j is %j', ([text, length]) => {
  expect(findWrongLength(text)).toBe(length);
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

import { expect, test } from 'vitest';
import { matchesAddress } from './match-address.ts';

test.for([
  ['0x530e6db7bdffe3b3d537ece6e20c0f46717d0044', true],
  ['0x530e', true],
  ['0044', true],
  ['0x530e…0044', true],
  ['0x530e...0044', true],
  ['0x530e … 0044', true],
  ['0x530e…0045', false],
  ['530e…0044', false],
  ['ada', false],
] as const)('the address is found with %j: %s', ([text, expected]) => {
  expect(matchesAddress('0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044', text)).toBe(expected);
});

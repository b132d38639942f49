import { isAddress as ethersIsAddress, getAddress } from 'ethers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasRightChecksum, isAddress, parseAddress, toAddress, toChecksumAddress } from './address.ts';

const anyAddress = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toAddress);
const toHex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
const CHECKSUMMED = '0x530E6DB7BdfFE3B3D537EcE6e20c0f46717D0044';
const DIGITS = CHECKSUMMED.slice(2);

test('toChecksumAddress agrees with ethers for any address', () => {
  fc.assert(
    fc.property(anyAddress, (bytes) => {
      expect(toChecksumAddress(bytes)).toBe(getAddress(toHex(bytes)));
    }),
  );
});

test('hasRightChecksum agrees with ethers if the case of one letter is changed', () => {
  fc.assert(
    fc.property(anyAddress, fc.nat({ max: 39 }), (bytes, position) => {
      const checksummed = toChecksumAddress(bytes);
      const digit = checksummed.charAt(2 + position);
      const otherCase = digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase();
      const altered = checksummed.slice(0, 2 + position) + otherCase + checksummed.slice(3 + position);
      expect(hasRightChecksum(checksummed)).toBe(true);
      expect(hasRightChecksum(altered)).toBe(ethersIsAddress(altered));
    }),
  );
});

test.each([
  ['lower-case letters', `0x${DIGITS.toLowerCase()}`],
  ['upper-case letters', `0x${DIGITS.toUpperCase()}`],
  ['the case of its checksum', CHECKSUMMED],
  ['no letters', `0x${'1'.repeat(40)}`],
])('hasRightChecksum accepts an address with %s', (_, text) => {
  expect(hasRightChecksum(text)).toBe(true);
});

test('an address with one letter in the wrong case has a wrong checksum, but parseAddress reads it', () => {
  const text = CHECKSUMMED.replace('E', 'e');
  expect(hasRightChecksum(text)).toBe(false);
  expect(parseAddress(text)).toStrictEqual(parseAddress(CHECKSUMMED));
});

test('parseAddress reads upper and lower case', () => {
  fc.assert(
    fc.property(anyAddress, (bytes) => {
      const digits = toHex(bytes).slice(2);
      expect(parseAddress(`0x${digits}`)).toStrictEqual(bytes);
      expect(parseAddress(`0x${digits.toUpperCase()}`)).toStrictEqual(bytes);
    }),
  );
});

describe('isAddress and parseAddress reject', () => {
  test.each([
    ['nothing', ''],
    ['the prefix alone', '0x'],
    ['no prefix', DIGITS],
    ['the prefix 0X', `0X${DIGITS}`],
    ['39 digits', CHECKSUMMED.slice(0, -1)],
    ['41 digits', `${CHECKSUMMED}0`],
    ['a digit that is not hex', `${CHECKSUMMED.slice(0, -1)}g`],
    ['a full-width digit', `${CHECKSUMMED.slice(0, -1)}４`],
    ['a space before', ` ${CHECKSUMMED}`],
    ['a space after', `${CHECKSUMMED} `],
    ['a line feed after', `${CHECKSUMMED}\n`],
    ['an ICAP address', 'XE65GB6LDNXYOFTX0NSV3FUWKOWIXAMJK36'],
  ])('%s', (_, text) => {
    expect(isAddress(text)).toBe(false);
    expect(() => parseAddress(text)).toThrow(TypeError);
    expect(hasRightChecksum(text)).toBe(false);
  });
});

test.each([0, 19, 21, 32])('toAddress rejects %i bytes', (length) => {
  expect(() => toAddress(new Uint8Array(length))).toThrow(TypeError);
});

import { Signature as EthersSignature, SigningKey } from 'ethers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSignature } from './signature.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const HALF_ORDER = ORDER / 2n;
const toWord = (value: bigint) => value.toString(16).padStart(64, '0');
const toText = (r: bigint, s: bigint, v = '1b') => `0x${toWord(r)}${toWord(s)}${v}`;
const toCompactText = (r: bigint, s: bigint, parity: 0n | 1n) => toText(r, s | (parity << 255n), '');
const VALID = toText(0xabn, 0xcdn);

describe('parseSignature returns the same result for every encoding of a signature', () => {
  const anyScalar = (max: bigint) => fc.bigInt({ min: 1n, max });

  test.each([
    [0, '1b', '00', 0n],
    [1, '1c', '01', 1n],
  ] as const)('with recovery id %i', (recoveryId, v, v01, parity) => {
    fc.assert(
      fc.property(anyScalar(ORDER - 1n), anyScalar(HALF_ORDER), (r, s) => {
        const expected = { compact: new Uint8Array(Buffer.from(toWord(r) + toWord(s), 'hex')), recoveryId };
        expect(parseSignature(toText(r, s, v))).toStrictEqual(expected);
        expect(parseSignature(toText(r, s, v.toUpperCase()))).toStrictEqual(expected);
        expect(parseSignature(toText(r, s, v01))).toStrictEqual(expected);
        expect(parseSignature(toCompactText(r, s, parity))).toStrictEqual(expected);
        expect(parseSignature(`0x${toText(r, s, v).slice(2).toUpperCase()}`)).toStrictEqual(expected);
      }),
    );
  });

  test('made by ethers', () => {
    const key = new SigningKey(`0x${'11'.repeat(32)}`);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (digest) => {
        const { serialized, compactSerialized } = key.sign(digest);
        const signature = parseSignature(serialized);
        expect(signature).not.toBeNull();
        expect(signature).toStrictEqual(parseSignature(compactSerialized));
        expect(signature?.recoveryId).toBe(EthersSignature.from(serialized).yParity);
      }),
    );
  });
});

test.each([
  ['the smallest r and s', toText(1n, 1n)],
  ['the largest r', toText(ORDER - 1n, 1n)],
  ['the largest low s', toText(1n, HALF_ORDER)],
  ['the largest low s, EIP-2098', toCompactText(1n, HALF_ORDER, 1n)],
])('parseSignature accepts %s', (_, text) => {
  expect(parseSignature(text)).not.toBeNull();
});

describe('parseSignature rejects', () => {
  test.each([
    ['r equal to 0', toText(0n, 1n)],
    ['s equal to 0', toText(1n, 0n)],
    ['r equal to the curve order', toText(ORDER, 1n)],
    ['s equal to the curve order', toText(1n, ORDER)],
    ['r above the curve order', toText((1n << 256n) - 1n, 1n)],
    ['the smallest high s', toText(1n, HALF_ORDER + 1n)],
    ['the largest high s', toText(1n, ORDER - 1n)],
    ['r equal to 0, EIP-2098', toCompactText(0n, 1n, 1n)],
    ['s equal to 0, EIP-2098', toCompactText(1n, 0n, 1n)],
    ['r equal to the curve order, EIP-2098', toCompactText(ORDER, 1n, 0n)],
    ['the smallest high s, EIP-2098', toCompactText(1n, HALF_ORDER + 1n, 0n)],
    ['nothing', ''],
    ['the prefix alone', '0x'],
    ['no prefix', VALID.slice(2)],
    ['the prefix 0X', VALID.replace('0x', '0X')],
    ['63 bytes', VALID.slice(0, 2 + 126)],
    ['63 and a half bytes', VALID.slice(0, 2 + 127)],
    ['64 and a half bytes', VALID.slice(0, -1)],
    ['65 and a half bytes', `${VALID}0`],
    ['66 bytes', `${VALID}00`],
    ['a digit that is not hex', VALID.replace('c', 'g')],
    ['a space before', ` ${VALID}`],
    ['a space after', `${VALID} `],
    ['a line feed after', `${VALID}\n`],
    ['a NUL after', `${VALID}\0`],
  ])('%s', (_, text) => {
    expect(parseSignature(text)).toBeNull();
  });

  test('every v but 0, 1, 27 and 28', () => {
    const accepted = Array.from({ length: 256 }, (_, v) => v).filter(
      (v) => parseSignature(toText(1n, 1n, v.toString(16).padStart(2, '0'))) !== null,
    );
    expect(accepted).toStrictEqual([0, 1, 27, 28]);
  });
});

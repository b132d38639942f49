import { keccak256 as ethersKeccak256 } from 'ethers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keccak256 } from './keccak.ts';

const toHex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;

test('keccak256 agrees with ethers for any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      expect(toHex(keccak256(bytes))).toBe(ethersKeccak256(bytes));
    }),
  );
});

// Keccak-256 reads blocks of 136 bytes. hash-wasm reads 16,384 bytes at a time.
test.each([0, 135, 136, 137, 16_384, 16_385, 40_000])(
  'keccak256 agrees with ethers for %i bytes',
  (lengthBytes) => {
    const bytes = new Uint8Array(lengthBytes).fill(7);
    expect(toHex(keccak256(bytes))).toBe(ethersKeccak256(bytes));
  },
);

test('a digest does not change when the next one is computed', () => {
  const digest = keccak256(Uint8Array.of(1));
  keccak256(Uint8Array.of(2));
  expect(toHex(digest)).toBe(ethersKeccak256('0x01'));
});

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { encodeAbiParameters, namehash, parseAbiParameters, toHex } from 'viem';
import { packetToBytes } from 'viem/ens';
import { expect, test } from 'vitest';
import { decodeAddress, decodeBytes, encodeArguments } from './abi.ts';
import { encodeName, hashName } from './ens.ts';
import { SIGNATURE_VALIDATOR } from './signature-validator.ts';

const bytes = fc.uint8Array({ maxLength: 200 });

test('arguments are encoded as viem encodes them', () => {
  const address = fc.uint8Array({ minLength: 20, maxLength: 20 });
  const word = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(address, word, bytes, bytes, fc.nat(), (signer, hash, first, second, number) => {
      const encoded = encodeArguments([
        { word: signer },
        { bytes: first },
        { word: hash },
        { word: number },
        { bytes: second },
      ]);
      const expected = encodeAbiParameters(parseAbiParameters('address, bytes, bytes32, uint256, bytes'), [
        toHex(signer),
        toHex(first),
        toHex(hash),
        BigInt(number),
        toHex(second),
      ]);
      expect(`0x${encoded}`).toBe(expected);
    }),
  );
});

test('bytes and addresses are decoded from what viem encodes', () => {
  fc.assert(
    fc.property(bytes, fc.uint8Array({ minLength: 20, maxLength: 20 }), (value, address) => {
      const encoded = encodeAbiParameters(parseAbiParameters('bytes, address'), [
        toHex(value),
        toHex(address),
      ]);
      const data = Buffer.from(encoded.slice(2), 'hex');
      expect(decodeBytes(data, 0)).toEqual(Buffer.from(value));
      expect(decodeAddress(data, 1)).toEqual(Buffer.from(address));
    }),
  );
});

test('malformed data is null, whatever it is', () => {
  fc.assert(
    fc.property(bytes, (value) => {
      const decoded = decodeBytes(Buffer.from(value), 0);
      expect(decoded === null || decoded.length <= value.length).toBe(true);
    }),
  );
  expect(decodeBytes(Buffer.alloc(0), 0)).toBeNull();
  expect(decodeBytes(Buffer.alloc(31), 0)).toBeNull();
  expect(
    decodeBytes(Buffer.concat([Buffer.alloc(31), Buffer.of(32), Buffer.alloc(31), Buffer.of(1)]), 0),
  ).toBeNull();
  expect(decodeAddress(Buffer.alloc(32, 1), 0)).toBeNull();
});

test.each(['ada.eth', 'a.b.c.eth', '🏳️‍🌈.eth', 'ǰ.eth', 'x'.repeat(200)])(
  'the name %s is hashed and encoded as viem does',
  (name) => {
    expect(toHex(hashName(name))).toBe(namehash(name));
    expect(Buffer.from(encodeName(name))).toEqual(Buffer.from(packetToBytes(name)));
  },
);

test('the validator of ERC-6492 is that of viem', async () => {
  // viem does not export it.
  const { resolve } = createRequire(import.meta.url);
  const file = join(dirname(resolve('viem/package.json')), '_esm/constants/contracts.js');
  const { erc6492SignatureValidatorByteCode } = (await import(file)) as Record<string, unknown>;
  expect(SIGNATURE_VALIDATOR).toBe(erc6492SignatureValidatorByteCode);
});

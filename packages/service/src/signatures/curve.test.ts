import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { computeAddress, SigningKey } from 'ethers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CurveImplementation } from './curve-implementation.ts';
import { libsecp256k1 } from './libsecp256k1.ts';
import { nobleCurves } from './noble-curves.ts';
import { parseSignature, type Signature } from './signature.ts';

const anyWord = fc.uint8Array({ minLength: 32, maxLength: 32 });
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const GENERATOR_X = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n;
const toHex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
const toWord = (value: bigint) => value.toString(16).padStart(64, '0');
const anyKey = fc.bigInt({ min: 1n, max: CURVE_ORDER - 1n }).map((key) => Buffer.from(toWord(key), 'hex'));

function parse(text: string): Signature {
  const signature = parseSignature(text);
  if (signature === null) throw new Error('The signature is malformed.');
  return signature;
}

function findAddress(curve: CurveImplementation, digest: Uint8Array, signature: Signature): string | null {
  const publicKey = curve.recoverPublicKey(digest, signature);
  return publicKey && computeAddress(toHex(publicKey));
}

const curves = [libsecp256k1, nobleCurves].filter((curve) => curve !== null);

describe.each(curves)('$name', (curve) => {
  test('recovers the signer of a signature that ethers made', () => {
    fc.assert(
      fc.property(anyWord, anyKey, (digest, privateKey) => {
        const key = new SigningKey(privateKey);
        const signature = parse(key.sign(digest).serialized);
        expect(findAddress(curve, digest, signature)).toBe(computeAddress(key));
        expect(toHex(curve.publicKeyOf(privateKey))).toBe(key.publicKey);
      }),
    );
  });

  test('makes the same signature as ethers', () => {
    fc.assert(
      fc.property(anyWord, anyKey, (digest, privateKey) => {
        const { r, s, yParity } = new SigningKey(privateKey).sign(digest);
        expect(toHex(curve.sign(digest, privateKey))).toBe(`${r}${s.slice(2)}0${yParity}`);
      }),
    );
  });

  test('recovers another address, or none, when any byte of r, s or the digest is altered', () => {
    const alteration = fc.record({ position: fc.nat({ max: 95 }), mask: fc.integer({ min: 1, max: 255 }) });
    fc.assert(
      fc.property(anyWord, anyKey, alteration, (digest, privateKey, { position, mask }) => {
        const key = new SigningKey(privateKey);
        const { compact, recoveryId } = parse(key.sign(digest).serialized);
        const altered = Buffer.concat([compact, digest]);
        altered.writeUInt8(altered.readUInt8(position) ^ mask, position);
        const signature = { compact: altered.subarray(0, 64), recoveryId };
        expect(findAddress(curve, altered.subarray(64), signature)).not.toBe(computeAddress(key));
      }),
    );
  });

  test('recovers another address with the other recovery id', () => {
    const key = new SigningKey(`0x${'11'.repeat(32)}`);
    const digest = new Uint8Array(32).fill(9);
    const { compact, recoveryId } = parse(key.sign(digest).serialized);
    const other = findAddress(curve, digest, { compact, recoveryId: recoveryId === 0 ? 1 : 0 });
    expect(other).toMatch(/^0x/);
    expect(other).not.toBe(computeAddress(key));
  });

  test('recovers nothing if r is not an x coordinate of the curve', () => {
    // No point of the curve has the x coordinate 5.
    const signature = parse(`0x${toWord(5n)}${toWord(1n)}1b`);
    expect(curve.recoverPublicKey(new Uint8Array(32).fill(1), signature)).toBeNull();
  });

  test('recovers nothing if the public key would be the point at infinity', () => {
    // The public key is (s · R - digest · G) / r. With R = G and s = digest, it is the point at infinity.
    const digest = Buffer.from(toWord(7n), 'hex');
    const signature = parse(`0x${toWord(GENERATOR_X)}${toWord(7n)}1b`);
    expect(curve.recoverPublicKey(digest, signature)).toBeNull();
  });
});

test.runIf(curves.length === 2)(
  'both implementations recover the same address from any signature whose r and s are in range',
  () => {
    // 2^254 is less than half the curve order, the limit of s.
    const anyScalar = fc.bigInt({ min: 1n, max: 1n << 254n });
    fc.assert(
      fc.property(anyWord, anyScalar, anyScalar, fc.constantFrom('1b', '1c'), (digest, r, s, v) => {
        const signature = parse(`0x${toWord(r)}${toWord(s)}${v}`);
        const [first, second] = curves.map((curve) => findAddress(curve, digest, signature));
        expect(first).toBe(second);
      }),
    );
  },
);

test('in place of elliptic, which secp256k1 would load, an empty package of this repository is installed', () => {
  const root = join(import.meta.dirname, '../../../..');
  const loadedBySecp256k1 = createRequire(createRequire(import.meta.url).resolve('secp256k1/bindings'));
  expect(realpathSync(loadedBySecp256k1.resolve('elliptic'))).toBe(
    join(root, 'packages/no-elliptic/index.cjs'),
  );
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  // With an entry that is not a link, `npm ci` would download it.
  const installed = Object.keys(packages).filter((path) => path.endsWith('node_modules/elliptic'));
  expect(installed.map((path) => packages[path])).toEqual([{ resolved: 'packages/no-elliptic', link: true }]);
});

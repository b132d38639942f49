import { execFileSync } from 'node:child_process';
import { computeAddress, recoverAddress } from 'ethers';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import lock from '../../../../package-lock.json' with { type: 'json' };
import vectors from '../../../../tests/vectors/typed-data.json' with { type: 'json' };
import { toChecksumAddress } from './address.ts';
import { recoverSigner } from './recover-signer.ts';
import { addressOfPrivateKey, signDigest } from './sign-digest.ts';
import { parseSignature } from './signature.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const PREBUILT_PLATFORMS = ['linux-x64', 'darwin-arm64', 'win32-x64'];
// The signatures of `mustReject` in the vectors. Those of WELL_FORMED are signed by another wallet, or for
// another message or domain. So another address is recovered.
const MALFORMED = ['highS', 'zero', 'truncated', 'halfByte', 'badV', 'notHex'] as const;
const WELL_FORMED = ['otherEnvironment', 'withVersion', 'otherSigner', 'communityIdName'] as const;

const toBytes = (hex: string) => new Uint8Array(Buffer.from(hex.slice(2), 'hex'));

function findSigner(digest: string, text: string): string | null {
  const signature = parseSignature(text);
  if (signature === null) throw new Error('The signature is malformed.');
  const signer = recoverSigner(toBytes(digest), signature);
  return signer && toChecksumAddress(signer);
}

describe.each(vectors.vectors)('the vector "$name" ($environment)', (vector) => {
  const { digest, request, alsoValid, mustReject } = vector;

  test('the creator is recovered from every encoding of the signature', () => {
    const encodings = [request.signature, ...Object.values(alsoValid)];
    expect(encodings).toHaveLength(4);
    for (const text of encodings) expect(findSigner(digest, text)).toBe(request.creator);
  });

  test('the creator is recovered from none of the signatures in mustReject', () => {
    expect(Object.keys(mustReject).sort()).toStrictEqual([...MALFORMED, ...WELL_FORMED].sort());
    for (const name of MALFORMED) expect(parseSignature(mustReject[name]), name).toBeNull();
    for (const name of WELL_FORMED) {
      const signer = findSigner(digest, mustReject[name]);
      expect(signer, name).toMatch(/^0x/);
      expect(signer, name).not.toBe(request.creator);
    }
  });

  test('the private key makes the signature, and its address is the creator', () => {
    const privateKey = toBytes(vector.privateKey);
    expect(signDigest(toBytes(digest), privateKey)).toBe(request.signature);
    expect(toChecksumAddress(addressOfPrivateKey(privateKey))).toBe(request.creator);
  });
});

test.each(vectors.tokenIdMessages)(
  'recoverSigner returns the signer of $primaryType of token $tokenId',
  (vector) => {
    expect(findSigner(vector.digest, vector.signature)).toBe(vector.signer);
  },
);

test.each(vectors.receiveBadgesMessages)(
  'recoverSigner returns the signer of ReceiveBadges with nonce $nonce ($environment)',
  (vector) => {
    expect(findSigner(vector.digest, vector.signature)).toBe(vector.signer);
  },
);

test('ethers recovers the signer of a signature that signDigest made', () => {
  const anyDigest = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const anyKey = fc
    .bigInt({ min: 1n, max: ORDER - 1n })
    .map((key) => `0x${key.toString(16).padStart(64, '0')}`);
  fc.assert(
    fc.property(anyDigest, anyKey, (digest, key) => {
      const signature = signDigest(digest, toBytes(key));
      expect(signature).toMatch(/^0x[0-9a-f]{128}1[bc]$/);
      expect(recoverAddress(digest, signature)).toBe(computeAddress(key));
      expect(toChecksumAddress(addressOfPrivateKey(toBytes(key)))).toBe(computeAddress(key));
    }),
  );
});

test('signDigest and addressOfPrivateKey throw if the private key is zero', () => {
  expect(() => signDigest(new Uint8Array(32), new Uint8Array(32))).toThrow(Error);
  expect(() => addressOfPrivateKey(new Uint8Array(32))).toThrow(Error);
});

describe('the implementation that a new process uses', () => {
  const program = `
    import { createRequire } from 'node:module';
    import { curve } from ${JSON.stringify(new URL('./curve.ts', import.meta.url))};
    import { recoverSigner } from ${JSON.stringify(new URL('./recover-signer.ts', import.meta.url))};
    import { parseSignature } from ${JSON.stringify(new URL('./signature.ts', import.meta.url))};
    const [digest, text] = process.argv.slice(1);
    const signer = recoverSigner(Buffer.from(digest.slice(2), 'hex'), parseSignature(text));
    const hasElliptic = Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('elliptic'));
    process.stdout.write([curve.name, Buffer.from(signer).toString('hex'), hasElliptic].join());
  `;
  const [vector] = vectors.vectors;

  const creator = vector?.request.creator.slice(2).toLowerCase();
  const isPrebuilt = PREBUILT_PLATFORMS.includes(`${process.platform}-${process.arch}`);

  function run(env: NodeJS.ProcessEnv): string {
    const { digest = '', request } = vector ?? {};
    const args = ['--input-type=module', '-e', program, digest, request?.signature ?? ''];
    return execFileSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: 'utf8' });
  }

  test.runIf(isPrebuilt)(
    'is libsecp256k1 on platforms with a prebuilt binary, without loading elliptic',
    () => {
      expect(run({})).toBe(`libsecp256k1,${creator},false`);
    },
  );

  test('is noble-curves if libsecp256k1 cannot be loaded, without loading elliptic', () => {
    // With these variables, `node-gyp-build` finds no binary.
    const withoutBinary = { PREBUILDS_ONLY: '1', npm_config_platform: 'none', npm_config_arch: 'none' };
    expect(run(withoutBinary)).toBe(`noble-curves,${creator},false`);
  });

  test('is never elliptic, because an empty package is installed under this name', () => {
    expect(lock.packages['node_modules/elliptic']).toEqual({ resolved: 'packages/no-elliptic', link: true });
  });
});

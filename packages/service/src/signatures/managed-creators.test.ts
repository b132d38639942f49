import { createHmac, createSecretKey } from 'node:crypto';
import { inspect } from 'node:util';
import { recoverAddress, SigningKey } from 'ethers';
import { recoverAddress as recoverWithViem } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { toChecksumAddress } from './address.ts';
import { createManagedCreators, findPrivateKey } from './managed-creators.ts';
import { recoverSigner } from './recover-signer.ts';
import { CURVE_ORDER, parseSignature } from './signature.ts';

const SEED = Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 'hex');
const creators = createManagedCreators(createSecretKey(SEED));
const DIGEST = Buffer.alloc(32, 7);

/** HKDF-SHA-256 for one block, as RFC 5869 describes it. */
function hkdf(seed: Buffer, info: string): Buffer {
  const pseudorandomKey = createHmac('sha256', Buffer.alloc(32)).update(seed).digest();
  return createHmac('sha256', pseudorandomKey)
    .update(Buffer.concat([Buffer.from(info), Buffer.of(1)]))
    .digest();
}

test.each(['demo', 'my-dao', 'A'.repeat(64)])(
  'the key of %s is derived as decision 42 says',
  (communityId) => {
    const privateKey = `0x${hkdf(SEED, `badge/managed-creator/1/${communityId}/0`).toString('hex')}` as const;
    const { address } = privateKeyToAccount(privateKey);
    expect(toChecksumAddress(creators.addressOf(communityId))).toBe(address);
    // Both sign deterministically (RFC 6979) and with a low s.
    expect(creators.sign(communityId, DIGEST)).toBe(new SigningKey(privateKey).sign(DIGEST).serialized);
  },
);

test('the key of a community never changes', () => {
  expect(toChecksumAddress(creators.addressOf('demo'))).toBe('0x262f07B8cf3aA5b7BEA9Efb1cF2e3C7FD9374fa0');
});

test('each community and each seed has another key', () => {
  const others = createManagedCreators(createSecretKey(Buffer.alloc(32, 1)));
  const addresses = ['demo', 'Demo', 'demo/0', 'demo-'].flatMap((id) => [
    toChecksumAddress(creators.addressOf(id)),
    toChecksumAddress(others.addressOf(id)),
  ]);
  expect(new Set(addresses).size).toBe(8);
});

test('ethers, viem and the service recover the address from 100 signatures, whose v is 27 or 28', async () => {
  const address = creators.addressOf('demo');
  const seen = new Set<string>();
  for (let index = 0; index < 100; index += 1) {
    const digest = Buffer.alloc(32, index);
    const text = creators.sign('demo', digest);
    seen.add(text.slice(-2));
    const signature = parseSignature(text);
    expect(signature && recoverSigner(digest, signature)).toEqual(address);
    expect(recoverAddress(digest, text)).toBe(toChecksumAddress(address));
    const hex = text as `0x${string}`;
    expect(await recoverWithViem({ hash: new Uint8Array(digest), signature: hex })).toBe(
      toChecksumAddress(address),
    );
  }
  expect(seen).toEqual(new Set(['1b', '1c']));
});

describe('findPrivateKey', () => {
  const valid = Buffer.from(CURVE_ORDER);
  valid.writeUInt8(valid.readUInt8(31) - 1, 31);

  test.each([
    ['0', Buffer.alloc(32)],
    ['the curve order', Buffer.from(CURVE_ORDER)],
    ['the largest number', Buffer.alloc(32, 255)],
  ])('derives again with the next counter if a candidate is %s', (_title, candidate) => {
    const counters: number[] = [];
    const found = findPrivateKey((counter) => {
      counters.push(counter);
      return counter < 2 ? candidate : valid;
    });
    expect([counters, found]).toEqual([[0, 1, 2], valid]);
  });

  test.each([
    ['1', Buffer.from('1'.padStart(64, '0'), 'hex')],
    ['the curve order minus 1', valid],
  ])('accepts %s', (_title, candidate) => {
    expect(findPrivateKey(() => candidate)).toBe(candidate);
  });
});

test('nothing that can be printed shows the seed', () => {
  const seed = createSecretKey(SEED);
  const shown = [seed, { seed }, creators].map(
    (value) => inspect(value, { depth: 9, showHidden: true }) + JSON.stringify(value),
  );
  for (const text of shown) expect(text).not.toMatch(/00 ?01 ?02 ?03|0, ?1, ?2, ?3|AAECAw/);
});

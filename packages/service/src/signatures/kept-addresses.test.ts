import { createHmac, createSecretKey } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { toChecksumAddress } from './address.ts';
import { createKeptAddresses } from './kept-addresses.ts';

const SEED = Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 'hex');
const kept = createKeptAddresses(createSecretKey(SEED));
const EMAIL_HASH = Buffer.alloc(32, 7);
const addressOf = (communityId: string, emailHash = EMAIL_HASH, { addressOf } = kept) =>
  toChecksumAddress(addressOf({ communityId, emailHash }));

const hmac = (key: Buffer, ...parts: (Buffer | string)[]) =>
  createHmac('sha256', key)
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest();

test('a kept address is the beginning of an HMAC with a key that HKDF (RFC 5869) makes of the seed', () => {
  const key = hmac(hmac(Buffer.alloc(32), SEED), 'badge/kept-address/1', Buffer.of(1));
  const expected = hmac(key, EMAIL_HASH, 'demo').subarray(0, 20);
  expect(kept.addressOf({ communityId: 'demo', emailHash: EMAIL_HASH })).toEqual(expected);
});

test('the kept address of an e-mail in a community never changes', () => {
  expect(addressOf('demo')).toBe('0xb5Cfa6c7BDE88c21a3271099790E10db0f0c4358');
});

test('each community, each e-mail and each seed has another address', () => {
  const others = createKeptAddresses(createSecretKey(Buffer.alloc(32, 1)));
  const addresses = ['demo', 'Demo', 'demo-', '\u0007demo'].flatMap((communityId) =>
    [EMAIL_HASH, Buffer.alloc(32, 8)].flatMap((emailHash) => [
      addressOf(communityId, emailHash),
      addressOf(communityId, emailHash, others),
    ]),
  );
  expect(new Set(addresses).size).toBe(16);
});

test.each([0, 31, 33, 64])('a hash of %i bytes is refused', (length) => {
  expect(() => addressOf('demo', Buffer.alloc(length))).toThrow(TypeError);
});

test('nothing that can be printed shows the seed', () => {
  const seed = createSecretKey(SEED);
  const shown = [seed, { seed }, kept].map(
    (value) => inspect(value, { depth: 9, showHidden: true }) + JSON.stringify(value),
  );
  for (const text of shown) expect(text).not.toMatch(/00 ?01 ?02 ?03|0, ?1, ?2, ?3|AAECAw/);
});

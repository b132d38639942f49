import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { RequestError } from '@badge/protocol';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(
  `^badge_(?:sandbox|production|admin)_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`,
);

/** Makes a key: 178 random bits and a CRC-32 of all before it, in base 62, so that one double click selects it. */
export function makeKey(kind: 'sandbox' | 'production' | 'admin'): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length)));
  const body = `badge_${kind}_${random.join('')}`;
  return body + checksum(body);
}

/** Whether a key was made by `makeKey`, or looks so. */
export function isOwnShape(key: string): boolean {
  return SHAPE.test(key);
}

/** Whether a key has the shape of ours but not its checksum: a typing error, known without a look-up. */
export function isMistyped(key: string): boolean {
  return SHAPE.test(key) && checksum(key.slice(0, -CHECKSUM_LENGTH)) !== key.slice(-CHECKSUM_LENGTH);
}

/** Whether a key of ours was made for the other environment: a sandbox key is no secret. */
export function isOfOtherEnvironment(key: string, environment: 'sandbox' | 'production'): boolean {
  return SHAPE.test(key) && !key.startsWith(`badge_${environment}_`);
}

export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** What a key is listed by: enough to tell it from others, far too little to guess it. */
export function keyPrefix(key: string): string {
  return key.slice(0, SHAPE.test(key) ? key.lastIndexOf('_') + 5 : 4);
}

/** The errors of a new key's body that its schema cannot say. */
export function findApiKeyErrors(body: unknown, nowTimestamp: number): RequestError[] {
  const { expiresAtTimestamp } = (body ?? {}) as { expiresAtTimestamp?: unknown };
  return typeof expiresAtTimestamp === 'number' && expiresAtTimestamp <= nowTimestamp
    ? [{ pointer: '/expiresAtTimestamp', detail: 'is in the past' }]
    : [];
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { RequestError } from '@badge/protocol';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(
  `^badge_(?:sandbox|production|admin|session)_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`,
);

/**
 * Makes a key, or the token of a session: a prefix, 178 random bits and a CRC-32 in base 62. It contains only
 * letters, digits and `_`, so that a double click selects all of it.
 */
export function makeKey(kind: 'sandbox' | 'production' | 'admin' | 'session'): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length)));
  const body = `badge_${kind}_${random.join('')}`;
  return body + checksum(body);
}

/**
 * Whether a key looks like one that `makeKey` made. Keys that an operator configures can have another shape.
 */
export function hasKeyShape(key: string): boolean {
  return SHAPE.test(key);
}

/**
 * Whether a key has the right shape but a wrong checksum: it is a typo, so no query is needed to reject it.
 */
export function isMistyped(key: string): boolean {
  return SHAPE.test(key) && checksum(key.slice(0, -CHECKSUM_LENGTH)) !== key.slice(-CHECKSUM_LENGTH);
}

/** Whether a text is the token of a session, or is meant as one. */
export function isSessionToken(key: string): boolean {
  return key.startsWith('badge_session_');
}

/**
 * Whether a key was made for the other environment, or for an operator. Production rejects sandbox keys,
 * because people do not keep them secret.
 */
export function isOfOtherKind(key: string, environment: 'sandbox' | 'production'): boolean {
  return SHAPE.test(key) && !key.startsWith(`badge_${environment}_`);
}

export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/**
 * Returns the beginning of a key, which lists show: up to the fourth random character. For a key of another
 * shape, returns the first four characters. People can recognize the key by its beginning, but not guess the
 * rest.
 */
export function keyPrefix(key: string): string {
  return key.slice(0, SHAPE.test(key) ? key.lastIndexOf('_') + 5 : 4);
}

/** The errors of a createApiKey body that its schema cannot express. */
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

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findApiKeyErrors, hashKey, isMistyped, isOfOtherKind, keyPrefix, makeKey } from './rules.ts';

const KINDS = ['sandbox', 'production', 'admin'] as const;
const ALPHABET = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];

describe.each(KINDS)('a key for %s', (kind) => {
  test('contains its kind, is one word, and is unique', () => {
    const keys = Array.from({ length: 100 }, () => makeKey(kind));
    for (const key of keys) expect(key).toMatch(new RegExp(`^badge_${kind}_[0-9A-Za-z]{36}$`));
    expect(new Set(keys).size).toBe(100);
  });

  test('does not look mistyped', () => {
    for (let n = 0; n < 100; n += 1) expect(isMistyped(makeKey(kind))).toBe(false);
  });

  test('is shown in lists by its kind and four more characters', () => {
    const key = makeKey(kind);
    expect(keyPrefix(key)).toBe(key.slice(0, `badge_${kind}_`.length + 4));
  });
});

const START = 'badge_sandbox_'.length;
const END = START + 36;

test('isMistyped detects any wrong character after badge_sandbox_', () => {
  const positions = fc.integer({ min: START, max: END - 1 });
  fc.assert(
    fc.property(positions, fc.constantFrom(...ALPHABET), (position, character) => {
      const key = makeKey('sandbox');
      const typed = key.slice(0, position) + character + key.slice(position + 1);
      expect(isMistyped(typed)).toBe(typed !== key);
    }),
  );
});

test('isMistyped detects two swapped neighbouring characters, and a wrong kind', () => {
  const key = makeKey('sandbox');
  for (let position = START; position < END - 1; position += 1) {
    const typed =
      key.slice(0, position) + key.charAt(position + 1) + key.charAt(position) + key.slice(position + 2);
    expect(isMistyped(typed)).toBe(typed !== key);
  }
  expect(isMistyped(key.replace('sandbox', 'production'))).toBe(true);
});

test.each([
  '',
  'secret',
  'badge_sandbox_',
  'badge_test_x',
  `${makeKey('admin')}0`,
  makeKey('admin').slice(1),
])('isMistyped ignores %j, which does not have the shape of a key', (key) =>
  expect(isMistyped(key)).toBe(false),
);

test.each([
  ['sandbox', false],
  ['production', true],
  ['admin', true],
] as const)('in the sandbox, isOfOtherKind of a key of the kind %s returns %s', (kind, expected) => {
  expect(isOfOtherKind(makeKey(kind), 'sandbox')).toBe(expected);
});

test('isOfOtherKind returns false for a key that the operator chose', () => {
  expect(isOfOtherKind('a-key-that-somebody-chose', 'production')).toBe(false);
});

test('a key that the operator chose is shown in lists by its first four characters', () => {
  expect(keyPrefix('a-key-that-somebody-chose')).toBe('a-ke');
});

test('hashKey returns the SHA-256 of a key', () => {
  expect(hashKey('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

const NOW = 1_700_000_000_000;

test.each([
  [{}, 0],
  [{ expiresAtTimestamp: null }, 0],
  [{ expiresAtTimestamp: NOW + 1 }, 0],
  [{ expiresAtTimestamp: NOW }, 1],
  [{ expiresAtTimestamp: 0 }, 1],
  [{ expiresAtTimestamp: 'never' }, 0],
  [null, 0],
  ['text', 0],
])('the createApiKey body %j has %d errors that its schema does not find', (body, errors) => {
  expect(findApiKeyErrors(body, NOW)).toHaveLength(errors);
});

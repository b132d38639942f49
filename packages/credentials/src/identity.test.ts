import { describe, expect, test } from 'vitest';
import { hashIdentity, matchesIdentity } from './identity.ts';

// The example of the specification of Open Badges 3.0: a@example.com, with the salt Kosher.
const HEX = 'b5809d8a92f8858436d7e6b87c12ebc0ae1eac4baecc2c0b913aee2c922ef399';
const hashOf = (algorithm: 'sha256' | 'md5' | null, hex: string, salt = 'Kosher') => ({
  type: 'emailAddress',
  text: null,
  hash: { algorithm, hex, salt },
});

test('the hash is that of the specification', () => {
  expect(hashIdentity('a@example.com', 'Kosher')).toBe(HEX);
  // UTF-8.
  expect(hashIdentity('é', '')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
});

describe('an identity', () => {
  test('matches if one of the texts is that of the hash', () => {
    expect(matchesIdentity(hashOf('sha256', HEX), ['A@example.com', 'a@example.com'])).toBe(true);
    expect(matchesIdentity(hashOf('sha256', HEX), ['A@example.com'])).toBe(false);
    expect(matchesIdentity(hashOf('sha256', HEX, ''), ['a@example.com'])).toBe(false);
    expect(matchesIdentity(hashOf('sha256', HEX), [])).toBe(false);
  });

  test('that is not hashed matches its text', () => {
    const identity = { type: 'emailAddress', text: 'a@example.com', hash: null };
    expect(matchesIdentity(identity, ['A@example.com', 'a@example.com'])).toBe(true);
    expect(matchesIdentity(identity, ['A@example.com'])).toBe(false);
  });

  test('that is hashed in another way is not compared', () => {
    expect(matchesIdentity(hashOf('md5', HEX), ['a@example.com'])).toBeNull();
    expect(matchesIdentity(hashOf(null, HEX), ['a@example.com'])).toBeNull();
  });
});

import { createHash, randomBytes } from 'node:crypto';
import { LIMITS, type RequestError } from '@badge/protocol';
import { findContributorErrors } from '../contributors/rules.ts';

// Crockford's base 32 has no I, L and O, which people confuse with 1 and 0. It also has no U.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 26;

/** Makes a code of 130 random bits: 26 characters in Crockford's base 32. */
export function makeClaimCode(): string {
  return Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}

/** Returns the SHA-256 of a code, however a person has typed it. */
export function hashClaimCode(code: string): Buffer {
  const normalised = code
    .toUpperCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  return createHash('sha256').update(normalised).digest();
}

/** The errors of a createClaimLinks body that its schema cannot express. */
export function findClaimLinkErrors(body: unknown, nowTimestamp: number): RequestError[] {
  const {
    identifiers = null,
    count = null,
    signature = null,
    expiresAtTimestamp,
  } = (body ?? {}) as Record<string, unknown>;
  const errors: RequestError[] = [];
  if (identifiers === null && count === null) {
    errors.push({ pointer: '', detail: 'must have identifiers or count' });
  }
  if (identifiers !== null) {
    for (const [field, value] of Object.entries({ count, signature })) {
      if (value !== null) errors.push({ pointer: `/${field}`, detail: 'must not be sent with identifiers' });
    }
    errors.push(...findIdentifierErrors(identifiers));
  }
  if (typeof expiresAtTimestamp === 'number' && expiresAtTimestamp <= nowTimestamp) {
    errors.push({ pointer: '/expiresAtTimestamp', detail: 'is in the past' });
  }
  return errors;
}

function findIdentifierErrors(identifiers: unknown): RequestError[] {
  const errors = findContributorErrors(identifiers, { field: 'identifiers', max: LIMITS.claimLinks });
  if (errors.length > 0) return errors;
  return (identifiers as string[]).flatMap((identifier, index) =>
    /^\s*0x/i.test(identifier)
      ? [
          {
            pointer: `/identifiers/${index}`,
            detail: 'begins with 0x, but identifiers do not; links are only for identifiers',
          },
        ]
      : [],
  );
}

import { createHash, createHmac, randomBytes } from 'node:crypto';
import { type ContributorEntry, LIMITS, type RequestError } from '@badge/protocol';
import type { SentCode } from '../../storage/claim-links.ts';
import type { TokenSummaryRow } from '../../storage/tokens.ts';
import { findContributorErrors } from '../contributors/rules.ts';
import { describeSeconds } from '../describe-seconds.ts';
import { findPersonErrors } from '../recipients/rules.ts';
import { MAX_ERRORS, Refusal } from '../refusal.ts';
import { currentIdOf } from '../tokens/read-token.ts';

// Crockford's base 32 has no I, L and O, which people confuse with 1 and 0. It also has no U.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 26;
// 40 random bits. docs/decisions/0040-a-room-shares-one-code.md computes how long guessing takes.
const SHORT_CODE_LENGTH = 8;
const DAY_MS = 24 * 60 * 60 * 1_000;

function makeCharacters(length: number): string {
  return Array.from(randomBytes(length), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}

/** Makes a code of 130 random bits: 26 characters in Crockford's base 32. */
export function makeClaimCode(): string {
  return makeCharacters(CODE_LENGTH);
}

/** Makes a code of 40 random bits, such as `7K2M-9QPD`. */
export function makeShortCode(): string {
  const characters = makeCharacters(SHORT_CODE_LENGTH);
  return `${characters.slice(0, 4)}-${characters.slice(4)}`;
}

/** Returns a code as it was made, without hyphens, however a person has typed it. */
export function normaliseCode(code: string): string {
  return code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
}

/** Whether a code has the length of a room's code. */
export function isShortCode(code: string): boolean {
  return normaliseCode(code).length === SHORT_CODE_LENGTH;
}

/**
 * Returns the SHA-256 by which the link of a code is found. The hash of a short code contains the token,
 * because two tokens may have the same short code.
 */
export function hashClaimCode(tokenId: number | string, code: string): Buffer {
  const normalised = normaliseCode(code);
  const text = isShortCode(code) ? `${tokenId} ${normalised}` : normalised;
  return createHash('sha256').update(text).digest();
}

/**
 * Returns what finds the link of a code that was sent to a token. The code can have been made for the token
 * itself or for one that it has replaced. If another token has replaced it, the link belongs to that one.
 */
export function toSentCode(
  token: Pick<TokenSummaryRow, 'token_id' | 'replaced_by_token_id' | 'former_token_ids' | 'imported_id'>,
  claimCode: string,
): SentCode {
  const { token_id: ownId, imported_id: importedId } = token;
  const madeFor = [ownId, ...token.former_token_ids].map((tokenId) => ({
    tokenId,
    codeHash: hashClaimCode(tokenId, claimCode),
  }));
  // The code of a room that was made before the import: its hash contains the former id.
  if (importedId !== null && isShortCode(claimCode))
    madeFor.push({ tokenId: ownId, codeHash: hashClaimCode(importedId, claimCode) });
  return { tokenId: currentIdOf(token), madeFor };
}

/**
 * Returns the hash by which the claims of a client address are counted. The code is the key, because the
 * database does not contain it. So the addresses cannot be found from the database alone.
 */
export function hashClient(tokenId: number, code: string, client: string): Buffer {
  return createHmac('sha256', normaliseCode(code)).update(`${tokenId} ${client}`).digest();
}

/** The errors of a createClaimLinks body that its schema cannot express. */
export function findClaimLinkErrors(body: unknown, nowTimestamp: number): RequestError[] {
  const fields = (body ?? {}) as Record<string, unknown>;
  const { identifiers = null, count = null, maxClaims = null, people = null } = fields;
  if (identifiers === null && count === null && maxClaims === null) {
    return [
      { pointer: '', detail: 'must have identifiers, count or maxClaims' },
      ...findExpirationErrors(fields.expiresAtTimestamp, nowTimestamp),
    ];
  }
  if (identifiers === null && count === null) {
    return [
      ...(people === null ? [] : [{ pointer: '/people', detail: 'must not be sent with maxClaims' }]),
      ...findRoomErrors(fields, nowTimestamp),
    ];
  }
  const form = identifiers === null ? 'count' : 'identifiers';
  const excluded = ['maxClaims', 'startsAtTimestamp', 'isSignatureRequired', 'maxClaimsPerClient'];
  if (form === 'identifiers') excluded.push('count', 'signature', 'people');
  return [
    ...excluded
      .filter((field) => (fields[field] ?? null) !== null)
      .map((field) => ({ pointer: `/${field}`, detail: `must not be sent with ${form}` })),
    ...(form === 'identifiers' ? findIdentifierErrors(identifiers) : []),
    ...(form === 'count' ? findPeopleErrors(people, count) : []),
    ...findExpirationErrors(fields.expiresAtTimestamp, nowTimestamp),
  ];
}

function findPeopleErrors(people: unknown, linkCount: unknown): RequestError[] {
  if (!Array.isArray(people)) return [];
  if (typeof linkCount === 'number' && people.length !== linkCount) {
    return [{ pointer: '/people', detail: `must have ${linkCount} items, one for each link` }];
  }
  const errors: RequestError[] = [];
  for (const [index, person] of people.entries()) {
    errors.push(...findPersonErrors(`/people/${index}`, person));
    if (errors.length > MAX_ERRORS) break;
  }
  return errors;
}

function findRoomErrors(
  { signature = null, expiresAtTimestamp = null, startsAtTimestamp }: Record<string, unknown>,
  nowTimestamp: number,
): RequestError[] {
  const required = { signature, expiresAtTimestamp };
  return [
    ...Object.entries(required)
      .filter(([, value]) => value === null)
      .map(([field]) => ({ pointer: `/${field}`, detail: 'is required with maxClaims' })),
    ...findRoomTimeErrors({ startsAtTimestamp, expiresAtTimestamp }, nowTimestamp),
  ];
}

/** The errors in the times of a room link, or in those times of it that a PATCH changes. */
export function findRoomTimeErrors(body: unknown, nowTimestamp: number): RequestError[] {
  const { startsAtTimestamp, expiresAtTimestamp } = (body ?? {}) as Record<string, unknown>;
  // Its response has no warnings. A link that starts at once, not next week, would be a surprise.
  const startDetails = typeof startsAtTimestamp === 'number' ? describeSeconds(startsAtTimestamp) : [];
  const errors: RequestError[] = startDetails.map((detail) => ({ pointer: '/startsAtTimestamp', detail }));
  if (typeof expiresAtTimestamp !== 'number') return errors;
  errors.push(...findExpirationErrors(expiresAtTimestamp, nowTimestamp));
  if (expiresAtTimestamp > nowTimestamp + LIMITS.roomLinkDays * DAY_MS) {
    const detail = `is more than ${LIMITS.roomLinkDays} days away`;
    errors.push({ pointer: '/expiresAtTimestamp', detail });
  }
  if (typeof startsAtTimestamp === 'number' && startsAtTimestamp >= expiresAtTimestamp) {
    errors.push(STARTS_TOO_LATE);
  }
  return errors;
}

export const STARTS_TOO_LATE = { pointer: '/startsAtTimestamp', detail: 'is not before the end of the link' };

function findExpirationErrors(expiresAtTimestamp: unknown, nowTimestamp: number): RequestError[] {
  return typeof expiresAtTimestamp === 'number' && expiresAtTimestamp <= nowTimestamp
    ? [{ pointer: '/expiresAtTimestamp', detail: 'is in the past' }]
    : [];
}

function findIdentifierErrors(identifiers: unknown): RequestError[] {
  const errors = findContributorErrors(identifiers, {
    field: 'identifiers',
    max: LIMITS.claimLinks,
    areNamed: true,
  });
  if (errors.length > 0) return errors;
  return (identifiers as ContributorEntry[]).flatMap((entry, index) =>
    /^\s*0x/i.test(String(typeof entry === 'string' ? entry : entry.contributor))
      ? [
          {
            pointer: `/identifiers/${index}`,
            detail: 'begins with 0x, but identifiers do not; links are only for identifiers',
          },
        ]
      : [],
  );
}

export function claimLinkNotFound(): Refusal {
  return new Refusal('ClaimLinkNotFound', 'The token has no claim link with this id.');
}

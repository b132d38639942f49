import { createHash } from 'node:crypto';
import type { ClaimLinkStatus, ErrorName, RequestError } from '@badge/protocol';
import type { Address } from '../../signatures/address.ts';
import type { ClaimRequest, ClaimState } from '../../storage/claims.ts';
import type { OwnerRow } from '../../storage/ownership.ts';
import { findAddressFieldErrors } from '../address-errors.ts';
import type { Caller } from '../caller.ts';

const DETAILS = {
  ClaimingAddressAlreadyHasToken: 'The address or the identifier has already claimed this token.',
  TokenClaimExpired: 'The token has expired and can no longer be claimed.',
  TokenNotYetClaimable: 'The token cannot be claimed yet. Its claimableFromTimestamp says when it can be.',
  AddressNotAllowlisted: "Neither the address nor the identifier is on the token's allowlist.",
  RecipientRefuses:
    'The recipient takes no badges of this community that others give. A wallet can claim them with its signature, and a person with an e-mail with a session.',
  NoTokensLeft: 'All claims of this token have been made.',
  ClaimCodeInvalid: 'The claim code is unknown, expired or revoked, or belongs to another token.',
  ClaimCodeUsed: 'The claim code has no claim left, or its identifier has claimed this token in another way.',
  ClaimCodePaused: 'The community has paused the claim code. Try again later.',
  ClaimCodeNotStarted: 'The claim code cannot be used yet. Try again later.',
  SignatureRequired:
    "Too many claims with this code and without a signature came from this client address. Send the claimer's signature.",
} as const satisfies Partial<Record<ErrorName, string>>;

export const TOKEN_NOT_OWNED = 'The address does not hold the token.';

export const TOKEN_NOT_REVOKED = 'The token of this address is not revoked.';

export type ClaimRefusal = keyof typeof DETAILS;

/** Why a claim with a code is refused. The status of a link is decided in SQL (storage/claim-links.ts). */
const CODE_REFUSALS: Record<ClaimLinkStatus, ClaimRefusal | null> = {
  revoked: 'ClaimCodeInvalid',
  used: 'ClaimCodeUsed',
  expired: 'ClaimCodeInvalid',
  paused: 'ClaimCodePaused',
  notStarted: 'ClaimCodeNotStarted',
  unused: null,
};

/**
 * Returns the reasons to refuse a claim, at most one of them about its code. Returns none if the claim is
 * granted. The claim fails with the first reason.
 */
export function findClaimRefusals(
  state: ClaimState,
  request: Pick<ClaimRequest, 'isAllowlistBypassed' | 'claimLinkId'>,
): ClaimRefusal[] {
  const usesCode = request.claimLinkId !== null;
  // The code of a room adds its claimers to the allowlist.
  const isListed = state.isAddressListed || state.isEntryListed || state.linkClaimsLeft !== null;
  const usesIdentifier = !usesCode && !state.isAddressListed && state.isEntryListed;
  const refusals: ClaimRefusal[] = [];
  if (state.ownership !== 'none' || state.hasAtOtherAddress || (usesIdentifier && state.isEntryUsed)) {
    refusals.push('ClaimingAddressAlreadyHasToken');
  }
  const codeRefusal = state.linkStatus && CODE_REFUSALS[state.linkStatus];
  if (codeRefusal !== null) refusals.push(codeRefusal);
  if (state.isExpired) refusals.push('TokenClaimExpired');
  if (state.isNotYetClaimable && !request.isAllowlistBypassed) refusals.push('TokenNotYetClaimable');
  if (state.isAllowlistRequired && !request.isAllowlistBypassed && !isListed) {
    refusals.push('AddressNotAllowlisted');
  }
  if (state.isRefused) refusals.push('RecipientRefuses');
  if (state.remainingClaimCount === 0) refusals.push('NoTokensLeft');
  if (state.clientClaimsLeft === 0) refusals.push('SignatureRequired');
  return refusals;
}

export function describeClaimRefusal(name: ClaimRefusal): string {
  return DETAILS[name];
}

// Returns the key of the allowlist entry that a claim uses; null if it uses none. A claim with a code uses
// the entry of its link or, with the code of a room, the entry of the address, which the claim adds.
// Otherwise, if both the address and the identifier are listed, the claim uses the entry of the address.
function findUsedEntryKey(state: ClaimState, request: ClaimRequest): Buffer | null {
  if (state.linkClaimsLeft !== null) return request.address;
  if (state.isAddressListed && request.claimLinkId === null) return request.address;
  return state.isEntryListed ? request.identifierKey : null;
}

interface Decision<T> {
  request: T;
  refusal: ClaimRefusal | null;
  contributorKey: Buffer | null;
  /** The room link whose code was sent; null for other claims. */
  roomLinkId: string | null;
}

/**
 * Decides the claims of a batch in order. `states` were read before the first decision, so each decision also
 * takes into account the claims of the batch that were granted before it.
 */
export function decideClaims<T extends ClaimRequest>(
  claims: T[],
  states: (ClaimState | undefined)[],
): Decision<T>[] {
  // What the claims granted so far have used: how many claims of each token, room link and client of a room
  // link, and which addresses and allowlist entries.
  const granted = new Map<string, number>();
  const count = (name: string) => granted.get(name) ?? 0;
  const subtract = (left: number | null, name: string) => (left === null ? null : left - count(name));
  return claims.map((request, index) => {
    const state = states[index];
    if (state === undefined) throw new Error(`no state for the claim of token ${request.tokenId}`);
    const token = `token ${request.tokenId}`;
    const link = `${token} link ${request.claimLinkId}`;
    const client = `${link} client ${request.clientHash?.toString('hex')}`;
    const ofAddress = (address: Address) => `${token} address ${address.toString('hex')}`;
    const ofEmail = `${token} email ${request.claimer?.emailHash.toString('hex')}`;
    const isGranted =
      [request.address, ...state.otherAddresses].some((one) => count(ofAddress(one)) > 0) ||
      (request.claimer !== null && count(ofEmail) > 0);
    const entry = (key: Buffer | null) => `${token} entry ${key?.toString('hex')}`;
    const linkClaimsLeft = subtract(state.linkClaimsLeft, link);
    const isEntryUsed = state.isEntryUsed || count(entry(request.identifierKey)) > 0;
    const [refusal = null] = findClaimRefusals(
      {
        ...state,
        remainingClaimCount: subtract(state.remainingClaimCount, token),
        linkClaimsLeft,
        linkStatus: afterUse(state.linkStatus, isEntryUsed || linkClaimsLeft === 0),
        clientClaimsLeft: subtract(state.clientClaimsLeft, client),
        ownership: isGranted ? 'held' : state.ownership,
        isEntryUsed,
      },
      request,
    );
    const contributorKey = findUsedEntryKey(state, request);
    const roomLinkId = state.linkClaimsLeft === null ? null : request.claimLinkId;
    if (refusal === null) {
      const used = [
        token,
        link,
        client,
        ofAddress(request.address),
        ofEmail,
        ...(contributorKey === null ? [] : [entry(contributorKey)]),
      ];
      for (const name of used) granted.set(name, count(name) + 1);
    }
    return { request, refusal, contributorKey, roomLinkId };
  });
}

/** The status of a link after the claims of the batch that were granted before. */
function afterUse(status: ClaimLinkStatus | null, isUsed: boolean): ClaimLinkStatus | null {
  return isUsed && status !== null && status !== 'revoked' ? 'used' : status;
}

/** Whether an address still has its token, valid or not. */
export function hasToken({ status }: Pick<OwnerRow, 'status'>): boolean {
  return status === 'held' || status === 'expired';
}

const MOVE_DETAILS = {
  RecipientRefuses: DETAILS.RecipientRefuses,
  TokenNotOwned: TOKEN_NOT_OWNED,
  ClaimingAddressAlreadyHasToken: 'The receiving address has the token, or has had it.',
} as const satisfies Partial<Record<ErrorName, string>>;

export type MoveRefusal = keyof typeof MOVE_DETAILS;

/**
 * Returns the reason to refuse a move, or null. `from` and `to` are what has become of the token of the two
 * addresses. A token that was moved can be moved back the same way, also to an address that refuses gifts:
 * it has had the token.
 */
export function findMoveRefusal(
  from: OwnerRow | undefined,
  to: OwnerRow | undefined,
  isRefused: boolean,
): MoveRefusal | null {
  if (from === undefined || !hasToken(from)) return 'TokenNotOwned';
  if (to === undefined) return isRefused ? 'RecipientRefuses' : null;
  const wasMovedBetween = from.moved_from?.equals(to.address) || to.moved_from?.equals(from.address);
  return to.status === 'moved' && wasMovedBetween ? null : 'ClaimingAddressAlreadyHasToken';
}

export function describeMoveRefusal(name: MoveRefusal): string {
  return MOVE_DETAILS[name];
}

/**
 * Returns the errors of a claim's body that its schema cannot express. The checksum of the address is checked
 * only if there is no signature, because a signature proves the address. With a session by e-mail, the
 * service knows the address.
 */
export function findClaimErrors(body: unknown, caller: Pick<Caller, 'kind'> | null): RequestError[] {
  const { signature = null, identifier = null, claimCode = null } = (body ?? {}) as Record<string, unknown>;
  if (caller?.kind === 'emailSession') {
    return findSentErrors(body, ['claimingAddress', 'signature', 'identifier']);
  }
  return [
    ...findMissingErrors(body, ['claimingAddress']),
    ...(signature === null ? findAddressFieldErrors(body, ['claimingAddress']) : []),
    ...findIdentifierErrors(identifier),
    ...(identifier !== null && claimCode !== null
      ? [{ pointer: '/claimCode', detail: 'must not be sent with identifier' }]
      : []),
  ];
}

/**
 * Returns the errors of a burn's body that its schema cannot express. With a session, nothing need be sent:
 * then the owner who has signed in burns the token.
 */
export function findBurnErrors(body: unknown, caller: Pick<Caller, 'kind'> | null): RequestError[] {
  const fields = ['burningAddress', 'signature'];
  const errors = findMissingErrors(body, fields);
  const isSession = caller?.kind === 'session' || caller?.kind === 'emailSession';
  return isSession && errors.length === fields.length ? [] : errors;
}

/** The errors of fields that are not sent with the session of the owner or of who claims. */
function findSentErrors(body: unknown, fields: string[]): RequestError[] {
  const sent = (body ?? {}) as Record<string, unknown>;
  return fields
    .filter((field) => (sent[field] ?? null) !== null)
    .map((field) => ({ pointer: `/${field}`, detail: 'must not be sent with this session' }));
}

/** The errors of fields that only such a session may leave out. */
function findMissingErrors(body: unknown, fields: string[]): RequestError[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const sent = body as Record<string, unknown>;
  return fields
    .filter((field) => (sent[field] ?? null) === null)
    .map((field) => ({ pointer: `/${field}`, detail: 'is required' }));
}

// An identifier must not begin with 0x, because on an allowlist only addresses do. 40 hex digits without 0x
// are accepted, because older allowlists can contain them.
function findIdentifierErrors(identifier: unknown): RequestError[] {
  if (typeof identifier !== 'string') return [];
  if (/^\s*0x/i.test(identifier)) {
    return [
      {
        pointer: '/identifier',
        detail: 'begins with 0x, but identifiers do not; send an address as claimingAddress',
      },
    ];
  }
  return identifier.trim() === '' ? [{ pointer: '/identifier', detail: 'must not be empty' }] : [];
}

/**
 * Returns the subject of a request that may be repeated when its object is in a new state: some bytes, and
 * the time since when it is in this state.
 */
export function toSubject(bytes: Uint8Array, since: Date): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigInt64BE(BigInt(since.getTime()));
  return Buffer.concat([bytes, time]);
}

/**
 * Returns the identity of a request about a token: a hash of the operation type, the token id, and
 * `subjects`, which are addresses or contributor keys. Their order does not matter.
 */
export function identifyRequestAboutToken(
  operationType: string,
  tokenId: number,
  subjects: Buffer[],
): Buffer {
  const keys = subjects.map((subject) => subject.toString('hex')).sort();
  return createHash('sha256')
    .update(JSON.stringify([operationType, tokenId, ...keys]))
    .digest();
}

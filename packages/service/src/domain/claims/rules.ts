import { createHash } from 'node:crypto';
import type { ErrorName, RequestError } from '@badge/protocol';
import type { ClaimRequest, ClaimState } from '../../storage/claims.ts';
import type { OwnerRow } from '../../storage/ownership.ts';
import { findAddressFieldErrors } from '../address-errors.ts';

const DETAILS = {
  ClaimingAddressAlreadyHasToken: 'The address or the identifier has already claimed this token.',
  TokenClaimExpired: 'The token has expired and can no longer be claimed.',
  AddressNotAllowlisted: "Neither the address nor the identifier is on the token's allowlist.",
  NoTokensLeft: 'All claims of this token have been made.',
  ClaimCodeInvalid: 'The claim code is unknown, expired or revoked, or belongs to another token.',
  ClaimCodeUsed: 'The claim code has been used, or its identifier has claimed this token in another way.',
} as const satisfies Partial<Record<ErrorName, string>>;

export const TOKEN_NOT_OWNED = 'The address does not hold the token.';

export const TOKEN_NOT_REVOKED = 'The token of this address is not revoked.';

export type ClaimRefusal = keyof typeof DETAILS;

/**
 * Returns the reasons to refuse a claim, at most one of them about its code. Returns none if the claim is granted. The
 * claim fails with the first reason.
 */
export function findClaimRefusals(
  state: ClaimState,
  request: Pick<ClaimRequest, 'isAllowlistBypassed' | 'claimLinkId'>,
): ClaimRefusal[] {
  const isListed = state.isAddressListed || state.isEntryListed;
  const usesCode = request.claimLinkId !== null;
  const usesIdentifier = !usesCode && !state.isAddressListed && state.isEntryListed;
  const refusals: ClaimRefusal[] = [];
  if (state.ownership !== 'none' || (usesIdentifier && state.isEntryUsed)) {
    refusals.push('ClaimingAddressAlreadyHasToken');
  }
  if (usesCode) refusals.push(...findCodeRefusals(state));
  if (state.isExpired) refusals.push('TokenClaimExpired');
  if (state.isAllowlistRequired && !request.isAllowlistBypassed && !isListed) {
    refusals.push('AddressNotAllowlisted');
  }
  if (state.remainingClaimCount === 0) refusals.push('NoTokensLeft');
  return refusals;
}

// If several of these conditions are true, the first decides. The status in a list of claim links has the same order.
function findCodeRefusals(state: ClaimState): ClaimRefusal[] {
  if (state.isLinkRevoked) return ['ClaimCodeInvalid'];
  if (state.isEntryUsed) return ['ClaimCodeUsed'];
  return state.isLinkExpired ? ['ClaimCodeInvalid'] : [];
}

export function describeClaimRefusal(name: ClaimRefusal): string {
  return DETAILS[name];
}

// Returns the key of the allowlist entry that a claim uses; null if it uses none. A claim with a code uses the entry of
// its link. Otherwise, if both the address and the identifier are listed, the claim uses the entry of the address.
function findUsedEntryKey(state: ClaimState, request: ClaimRequest): Buffer | null {
  if (state.isAddressListed && request.claimLinkId === null) return request.address;
  return state.isEntryListed ? request.identifierKey : null;
}

/**
 * Decides the claims of a batch in order. `states` were read before the first decision, so each decision also takes into
 * account the claims of the batch that were granted before it.
 */
export function decideClaims<T extends ClaimRequest>(
  claims: T[],
  states: (ClaimState | undefined)[],
): { request: T; refusal: ClaimRefusal | null; contributorKey: Buffer | null }[] {
  // What the claims granted so far have used: how many claims of each token, and which addresses and allowlist entries.
  const granted = new Map<number, number>();
  const used = new Set<string>();
  return claims.map((request, index) => {
    const state = states[index];
    if (state === undefined) throw new Error(`no state for the claim of token ${request.tokenId}`);
    const grantedBefore = granted.get(request.tokenId) ?? 0;
    const address = `${request.tokenId} address ${request.address.toString('hex')}`;
    const entry = `${request.tokenId} entry ${request.identifierKey?.toString('hex')}`;
    const [refusal = null] = findClaimRefusals(
      {
        ...state,
        remainingClaimCount:
          state.remainingClaimCount === null ? null : state.remainingClaimCount - grantedBefore,
        ownership: used.has(address) ? 'held' : state.ownership,
        isEntryUsed: state.isEntryUsed || used.has(entry),
      },
      request,
    );
    const contributorKey = findUsedEntryKey(state, request);
    if (refusal === null) {
      granted.set(request.tokenId, grantedBefore + 1);
      used.add(address);
      if (contributorKey !== null) used.add(`${request.tokenId} entry ${contributorKey.toString('hex')}`);
    }
    return { request, refusal, contributorKey };
  });
}

const MOVE_DETAILS = {
  TokenNotOwned: TOKEN_NOT_OWNED,
  ClaimingAddressAlreadyHasToken: 'The receiving address has the token, or has had it.',
} as const satisfies Partial<Record<ErrorName, string>>;

export type MoveRefusal = keyof typeof MOVE_DETAILS;

/**
 * Returns the reason to refuse a move, or null. `from` and `to` are what has become of the token of the two addresses. A
 * token that was moved can be moved back the same way.
 */
export function findMoveRefusal(from: OwnerRow | undefined, to: OwnerRow | undefined): MoveRefusal | null {
  if (from?.status !== 'held') return 'TokenNotOwned';
  if (to === undefined) return null;
  const wasMovedBetween = from.moved_from?.equals(to.address) || to.moved_from?.equals(from.address);
  return to.status === 'moved' && wasMovedBetween ? null : 'ClaimingAddressAlreadyHasToken';
}

export function describeMoveRefusal(name: MoveRefusal): string {
  return MOVE_DETAILS[name];
}

/**
 * Returns the errors of a claim's body that its schema cannot express. The checksum of the address is checked only if there
 * is no signature, because a signature proves the address.
 */
export function findClaimErrors(body: unknown): RequestError[] {
  const { signature = null, identifier = null, claimCode = null } = (body ?? {}) as Record<string, unknown>;
  return [
    ...(signature === null ? findAddressFieldErrors(body, ['claimingAddress']) : []),
    ...findIdentifierErrors(identifier),
    ...(identifier !== null && claimCode !== null
      ? [{ pointer: '/claimCode', detail: 'must not be sent with identifier' }]
      : []),
  ];
}

// An identifier must not begin with 0x, because on an allowlist only addresses do. 40 hex digits without 0x are accepted,
// because older allowlists can contain them.
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
 * Returns the subject of a request that may be repeated when its object is in a new state: some bytes, and the time since
 * when it is in this state.
 */
export function toSubject(bytes: Uint8Array, since: Date): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigInt64BE(BigInt(since.getTime()));
  return Buffer.concat([bytes, time]);
}

/**
 * Returns the identity of a request about a token: a hash of the operation type, the token id, and `subjects`, which
 * are addresses or contributor keys. Their order does not matter.
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

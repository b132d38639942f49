import { createHash } from 'node:crypto';
import type { ErrorName, RequestError } from '@badge/protocol';
import type { ClaimRequest, ClaimState } from '../../storage/claims.ts';
import { isMistypedAddress, MISTYPED_ADDRESS } from '../addresses/rules.ts';

const DETAILS = {
  ClaimingAddressAlreadyHasToken: 'The address, or the identifier, has claimed this token before.',
  TokenClaimExpired: 'The token can no longer be claimed.',
  AddressNotAllowlisted: "Neither the address nor the identifier is on the token's allowlist.",
  NoTokensLeft: 'Every claim of the token has been made.',
} as const satisfies Partial<Record<ErrorName, string>>;

export const TOKEN_NOT_OWNED = 'The address does not hold the token.';

export type ClaimRefusal = keyof typeof DETAILS;

/** Why a claim is refused, most decisive first; empty where it is granted. */
export function findClaimRefusals(
  state: ClaimState,
  request: Pick<ClaimRequest, 'isAllowlistBypassed'>,
): ClaimRefusal[] {
  const isListed = state.isAddressListed || state.isIdentifierListed;
  const usesIdentifier = !state.isAddressListed && state.isIdentifierListed;
  const refusals: ClaimRefusal[] = [];
  if (state.hasClaimed || (usesIdentifier && state.isIdentifierUsed)) {
    refusals.push('ClaimingAddressAlreadyHasToken');
  }
  if (state.isExpired) refusals.push('TokenClaimExpired');
  if (state.isAllowlistRequired && !request.isAllowlistBypassed && !isListed) {
    refusals.push('AddressNotAllowlisted');
  }
  if (state.remainingClaimCount === 0) refusals.push('NoTokensLeft');
  return refusals;
}

export function describeClaimRefusal(name: ClaimRefusal): string {
  return DETAILS[name];
}

/** The allowlist entry that a granted claim uses up, in hex: the address's own before the identifier's. */
export function usedContributorKey(state: ClaimState, request: ClaimRequest): string | null {
  if (state.isAddressListed) return request.address;
  return state.isIdentifierListed ? request.identifierKey : null;
}

/**
 * Decides claims that are settled together as if they came one after the other: each granted one counts for
 * those after it.
 */
export function decideClaims<T extends ClaimRequest>(
  claims: T[],
  states: ClaimState[],
): { request: T; refusal: ClaimRefusal | null; contributorKey: string | null }[] {
  const taken = new Map<number, number>();
  const used = new Set<string>();
  return claims.map((request, index) => {
    const state = states[index];
    if (state === undefined) throw new Error(`no state for the claim of token ${request.tokenId}`);
    const takenBefore = taken.get(request.tokenId) ?? 0;
    const left = state.remainingClaimCount === null ? null : state.remainingClaimCount - takenBefore;
    const now = {
      ...state,
      remainingClaimCount: left,
      hasClaimed: state.hasClaimed || used.has(`${request.tokenId} address ${request.address}`),
      isIdentifierUsed: state.isIdentifierUsed || used.has(`${request.tokenId} key ${request.identifierKey}`),
    };
    const [refusal = null] = findClaimRefusals(now, request);
    const contributorKey = usedContributorKey(state, request);
    if (refusal === null) {
      taken.set(request.tokenId, takenBefore + 1);
      used.add(`${request.tokenId} address ${request.address}`);
      if (contributorKey !== null) used.add(`${request.tokenId} key ${contributorKey}`);
    }
    return { request, refusal, contributorKey };
  });
}

/** The errors of addresses that must not be mistyped: in mixed case their checksum must be right. */
export function findChecksumErrors(body: unknown, fields: string[]): RequestError[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([field, value]) =>
    fields.includes(field) && isMistypedAddress(value)
      ? [{ pointer: `/${field}`, detail: MISTYPED_ADDRESS }]
      : [],
  );
}

/** The errors of a claim's identifier: an address is claimed as `claimingAddress`, by itself. */
export function findIdentifierErrors(body: unknown): RequestError[] {
  const { identifier } = (body ?? {}) as { identifier?: unknown };
  if (typeof identifier !== 'string') return [];
  if (/^\s*0x/i.test(identifier)) {
    return [{ pointer: '/identifier', detail: 'is an address: send it as claimingAddress' }];
  }
  return identifier.trim() === '' ? [{ pointer: '/identifier', detail: 'must not be empty' }] : [];
}

/** What makes two requests for one token one operation, while it stands: its type and who, or what, it is for. */
export function identifyTokenRequest(operationType: string, tokenId: number, subject: string[]): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([operationType, tokenId, ...subject]))
    .digest();
}

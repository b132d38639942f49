import { randomUUID } from 'node:crypto';
import {
  type Eip712,
  newAddress,
  newWallet,
  signToken as signWith,
  type Wallet,
} from '@badge/test-support/signing';
import { getAddress } from 'ethers';
import { expect, inject } from 'vitest';
import { demoCommunityId } from './client.ts';
import type { Body, Token } from './shapes.ts';

/** The signing domain and types of the service under test. */
export const eip712 = inject('environment').eip712;
export const { domain, types } = eip712;
export const nftTypeId = 'defaultOrangeRed';

export const newHeadline = () => `acceptance ${randomUUID()}`;

/** Signs a create-token body for the service under test, or for a changed domain or type. */
export function signToken(
  creator: Wallet,
  body: Body,
  signingDomain: Eip712['domain'] = domain,
  badgeType = types.Badge ?? [],
): Promise<string> {
  return signWith(creator, body, { domain: signingDomain, types: { Badge: badgeType } });
}

async function signedRequest(creator: Wallet, unsigned: Body): Promise<Body> {
  const body = {
    creator: creator.address,
    communityId: demoCommunityId,
    nftTypeId,
    headline: newHeadline(),
    ...unsigned,
  };
  return { ...body, signature: await signToken(creator, body) };
}

/** Returns a signed request for an open token of ten claims. */
export function openRequest(changes: Body = {}, creator = newWallet()): Promise<Body> {
  const defaults = { isSignatureRequired: false, isAllowlistRequired: false, totalClaimCount: 10 };
  return signedRequest(creator, { ...defaults, ...changes });
}

/** Returns a signed request for an allowlisted token whose claims need the claimer's signature. */
export function allowlistedRequest(changes: Body = {}, creator = newWallet()): Promise<Body> {
  const defaults = { isSignatureRequired: true, isAllowlistRequired: true, contributors: [newAddress()] };
  return signedRequest(creator, { ...defaults, ...changes });
}

const orNull = (value: unknown) => (typeof value === 'number' && value !== 0 ? value : null);

/** Returns the token object that this request creates, as it is before any claim. */
export function expectedToken(request: Body, tokenId: number): Token {
  const totalClaimCount = request.isAllowlistRequired ? null : Number(request.totalClaimCount);
  const contributors = new Set(
    request.isAllowlistRequired
      ? (request.contributors as string[]).map((one) => one.trim().toLowerCase())
      : [],
  );
  const isCreatorListed = contributors.has(String(request.creator).toLowerCase());
  return {
    tokenId,
    headline: String(request.headline),
    description: String(request.description ?? ''),
    startDateTimestamp: orNull(request.startDateTimestamp),
    endDateTimestamp: orNull(request.endDateTimestamp),
    links: (request.links ?? []) as string[],
    communityId: String(request.communityId),
    createdByAddress: getAddress(String(request.creator).toLowerCase()),
    createdAtTimestamp: expect.any(Number),
    imageUrl: expect.stringMatching(/^https?:\/\//),
    claimabilityAttributes: {
      isSignatureRequired: Boolean(request.isSignatureRequired),
      isAllowlistRequired: Boolean(request.isAllowlistRequired),
      totalClaimCount,
      remainingClaimCount: totalClaimCount,
      expirationTimestamp: orNull(request.expirationTimestamp),
    },
    claimedCount: 0,
    contributorCount: request.isAllowlistRequired ? contributors.size : null,
    // The creator counts once it has claimed.
    recipientCount: contributors.size - (isCreatorListed ? 1 : 0),
    isHidden: false,
    replacedByTokenId: null,
    importedFrom: null,
    nftTypeId: String(request.nftTypeId),
    customAttributes: (request.customAttributes ?? []) as Token['customAttributes'],
    criteria: (request.criteria ?? null) as string | null,
    claimableFromTimestamp: orNull(request.claimableFromTimestamp),
    validUntilTimestamp: orNull(request.validUntilTimestamp),
    validityDays: orNull(request.validityDays),
  };
}

/** Returns the message of the type `Badge` for an open token of ten claims. */
export function openBadge(communityUniqId: string, changes: Body = {}): Body {
  return {
    headline: newHeadline(),
    description: '',
    startDateTimestamp: 0,
    endDateTimestamp: 0,
    links: [],
    communityUniqId,
    isSignatureRequired: false,
    isAllowlistRequired: false,
    totalClaimCount: 10,
    expirationTimestamp: 0,
    ...changes,
  };
}

import {
  signedAdminAirdrop,
  signedBurn,
  signedClaim,
  signedContributors,
  signToken,
  type Wallet,
} from '@badge/test-support/signing';
import type { JournaledRequest } from '../journal.ts';

export const COMMUNITY_ID = 'demo';

/** A request with the operator's key. Send it with `client.request`, which does not journal it. */
export function operatorRequest(adminKey: string, method: string, body?: object): RequestInit {
  const headers = { Authorization: `Bearer ${adminKey}` };
  if (body === undefined) return { method, headers };
  return {
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
}

export interface NewToken {
  headline: string;
  isSignatureRequired: boolean;
  nftTypeId: string;
  /** Null for an allowlisted token. */
  totalClaimCount: number | null;
  contributors: string[];
  expirationTimestamp?: number;
}

/**
 * A createToken request, signed by the creator, with its signature as idempotency key. Default community:
 * `demo`.
 */
export async function createTokenRequest(
  creator: Wallet,
  token: NewToken,
  community?: { communityId: string; apiKey: string },
): Promise<JournaledRequest> {
  const { contributors, totalClaimCount, ...fields } = token;
  const isAllowlistRequired = totalClaimCount === null;
  const body = {
    ...fields,
    creator: creator.address,
    communityId: community?.communityId ?? COMMUNITY_ID,
    isAllowlistRequired,
    ...(isAllowlistRequired ? { contributors } : { totalClaimCount }),
  };
  const signature = await signToken(creator, body);
  return {
    kind: 'createToken',
    path: '/v1/tokens',
    body: JSON.stringify({ ...body, signature }),
    isKeySent: true,
    ...(community === undefined ? {} : { apiKey: community.apiKey }),
    idempotencyKey: signature,
  };
}

export interface ClaimProof {
  isSigned: boolean;
  /** True if an API key is sent. */
  isKeySent: boolean;
  identifier?: string;
  /** The code of a claim link. */
  claimCode?: string;
}

/** A claim with the wallet's signature, an API key, a code, or several of them. */
export async function claimRequest(
  tokenId: number,
  wallet: Wallet,
  proof: ClaimProof,
): Promise<JournaledRequest> {
  const { isSigned, isKeySent, identifier, claimCode } = proof;
  const body = {
    ...(isSigned ? await signedClaim(tokenId, wallet) : { claimingAddress: wallet.address }),
    ...(identifier === undefined ? {} : { identifier }),
    ...(claimCode === undefined ? {} : { claimCode }),
  };
  return {
    kind: 'claim',
    path: `/v1/tokens/${tokenId}/claim`,
    body: JSON.stringify(body),
    isKeySent,
    idempotencyKey: null,
  };
}

/** An airdrop of an open token to a wallet. */
export function airdropRequest(tokenId: number, wallet: Wallet): JournaledRequest {
  const body = JSON.stringify({ address: wallet.address });
  return {
    kind: 'airdrop',
    path: `/v1/tokens/${tokenId}/airdrop`,
    body,
    isKeySent: true,
    idempotencyKey: null,
  };
}

/** An airdrop to a wallet, on the allowlist or not, signed by a community admin and by this wallet. */
export async function adminAirdropRequest(
  tokenId: number,
  admin: Wallet,
  receiver: Wallet,
): Promise<JournaledRequest> {
  const body = await signedAdminAirdrop(tokenId, { admin, receiver });
  const path = `/v1/tokens/${tokenId}/communityAdminAirdrop`;
  return {
    kind: 'communityAdminAirdrop',
    path,
    body: JSON.stringify(body),
    isKeySent: true,
    idempotencyKey: null,
  };
}

/** A burn, signed by the wallet. */
export async function burnRequest(tokenId: number, wallet: Wallet): Promise<JournaledRequest> {
  const body = JSON.stringify(await signedBurn(tokenId, wallet));
  return { kind: 'burn', path: `/v1/tokens/${tokenId}/burn`, body, isKeySent: false, idempotencyKey: null };
}

/** An addition to the allowlist of a token, signed by its creator. */
export async function addContributorsRequest(
  tokenId: number,
  creator: Wallet,
  contributors: string[],
): Promise<JournaledRequest> {
  const body = await signedContributors(tokenId, creator, contributors);
  return {
    kind: 'addContributors',
    path: `/v1/tokens/${tokenId}/addContributors`,
    body: JSON.stringify(body),
    isKeySent: true,
    idempotencyKey: null,
  };
}

/** A removal from the allowlist of a token. */
export function removeContributorsRequest(tokenId: number, contributors: string[]): JournaledRequest {
  return {
    kind: 'removeContributors',
    path: `/v1/tokens/${tokenId}/removeContributors`,
    body: JSON.stringify({ contributors }),
    isKeySent: true,
    idempotencyKey: `removal-of-${contributors.join()}-from-${tokenId}`,
  };
}

let undone = 0;

/**
 * A revocation, a reinstatement or a move of the token of an address. Each request has its own idempotency
 * key.
 */
export function undoRequest(
  kind: 'revoke' | 'reinstate' | 'move',
  tokenId: number,
  address: string,
  toAddress?: string,
): JournaledRequest {
  undone += 1;
  return {
    kind,
    path: `/v1/tokens/${tokenId}/owners/${address}/${kind}`,
    body: JSON.stringify({ reason: 'the fault run', toAddress }),
    isKeySent: true,
    idempotencyKey: `${kind}-${undone}-of-${tokenId}`,
  };
}

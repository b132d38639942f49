import { toBadgeMessage } from '@badge/protocol';
import type { JournaledRequest } from '../journal.ts';
import { typedData, type Wallet } from './wallets.ts';

export const COMMUNITY_ID = 'demo';

export interface NewToken {
  headline: string;
  isSignatureRequired: boolean;
  nftTypeId: string;
  /** Null for an allowlisted token. */
  totalClaimCount: number | null;
  contributors: string[];
  expirationTimestamp?: number;
}

/** A createToken request, signed by the creator. */
export function createTokenRequest(creator: Wallet, token: NewToken): JournaledRequest {
  const { contributors, totalClaimCount, ...fields } = token;
  const isAllowlistRequired = totalClaimCount === null;
  const body = {
    ...fields,
    creator: creator.address,
    communityId: COMMUNITY_ID,
    isAllowlistRequired,
    ...(isAllowlistRequired ? { contributors } : { totalClaimCount }),
  };
  const signature = creator.sign(typedData.badgeDigest(toBadgeMessage(body)));
  return {
    kind: 'createToken',
    path: '/v1/tokens',
    body: JSON.stringify({ ...body, signature }),
    isKeySent: true,
  };
}

export interface ClaimProof {
  isSigned: boolean;
  isKeySent: boolean;
  identifier?: string;
}

/** A claim with the wallet's signature, the community's API key, or both. */
export function claimRequest(tokenId: number, wallet: Wallet, proof: ClaimProof): JournaledRequest {
  const { isSigned, isKeySent, identifier } = proof;
  const body = {
    claimingAddress: wallet.address,
    ...(isSigned ? { signature: wallet.signTokenId('Claim', tokenId) } : {}),
    ...(identifier === undefined ? {} : { identifier }),
  };
  return { kind: 'claim', path: `/v1/tokens/${tokenId}/claim`, body: JSON.stringify(body), isKeySent };
}

/** An airdrop of an open token to a wallet. */
export function airdropRequest(tokenId: number, wallet: Wallet): JournaledRequest {
  const body = JSON.stringify({ address: wallet.address });
  return { kind: 'airdrop', path: `/v1/tokens/${tokenId}/airdrop`, body, isKeySent: true };
}

/** An airdrop to any wallet, signed by a community admin and by the wallet. */
export function adminAirdropRequest(tokenId: number, admin: Wallet, receiver: Wallet): JournaledRequest {
  const body = {
    receivingAddress: receiver.address,
    adminAddress: admin.address,
    adminSignature: admin.signTokenId('CommunityAdminAirdrop', tokenId),
    receiverSignature: receiver.signTokenId('CommunityAdminAirdropReceiverConsent', tokenId),
  };
  const path = `/v1/tokens/${tokenId}/communityAdminAirdrop`;
  return { kind: 'communityAdminAirdrop', path, body: JSON.stringify(body), isKeySent: true };
}

/** A burn, signed by the wallet. */
export function burnRequest(tokenId: number, wallet: Wallet): JournaledRequest {
  const body = { burningAddress: wallet.address, signature: wallet.signTokenId('Burn', tokenId) };
  return { kind: 'burn', path: `/v1/tokens/${tokenId}/burn`, body: JSON.stringify(body), isKeySent: false };
}

/** An addition to the allowlist of a token, signed by its creator. */
export function addContributorsRequest(
  tokenId: number,
  creator: Wallet,
  contributors: string[],
): JournaledRequest {
  const body = { contributors, signature: creator.signTokenId('AllowlistedAddress', tokenId) };
  return {
    kind: 'addContributors',
    path: `/v1/tokens/${tokenId}/addContributors`,
    body: JSON.stringify(body),
    isKeySent: true,
  };
}

import { toBadgeMessage } from '@badge/protocol';
import type { JournaledRequest } from '../journal.ts';
import { typedData, type Wallet } from './wallets.ts';

export const COMMUNITY_ID = 'demo';

export interface NewToken {
  headline: string;
  isSignatureRequired: boolean;
  nftTypeId: string;
  /** The count of an open token; null for an allowlisted one. */
  totalClaimCount: number | null;
  contributors: string[];
  expirationTimestamp?: number;
}

/** A create-token request, signed by its creator. */
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

/** A claim by a wallet: with its signature, with the community's key, or with both. */
export function claimRequest(tokenId: number, wallet: Wallet, proof: ClaimProof): JournaledRequest {
  const { isSigned, isKeySent, identifier } = proof;
  const body = {
    claimingAddress: wallet.address,
    ...(isSigned ? { signature: wallet.signTokenId('Claim', tokenId) } : {}),
    ...(identifier === undefined ? {} : { identifier }),
  };
  return { kind: 'claim', path: `/v1/tokens/${tokenId}/claim`, body: JSON.stringify(body), isKeySent };
}

/** An open token for a wallet, chosen by the community. */
export function airdropRequest(tokenId: number, wallet: Wallet): JournaledRequest {
  const body = JSON.stringify({ address: wallet.address });
  return { kind: 'airdrop', path: `/v1/tokens/${tokenId}/airdrop`, body, isKeySent: true };
}

/** A token for any wallet, by a community admin and with the wallet's consent. */
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

/** A burn by the wallet that may hold the token. */
export function burnRequest(tokenId: number, wallet: Wallet): JournaledRequest {
  const body = { burningAddress: wallet.address, signature: wallet.signTokenId('Burn', tokenId) };
  return { kind: 'burn', path: `/v1/tokens/${tokenId}/burn`, body: JSON.stringify(body), isKeySent: false };
}

/** More contributors for an allowlisted token, signed by its creator. */
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

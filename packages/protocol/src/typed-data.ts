/** The `name` of the signing domain. */
export const EIP712_DOMAIN_NAME = 'Badge';

/** The EIP-712 domain of one deployment. It has no `version`. */
export interface Eip712Domain {
  name: typeof EIP712_DOMAIN_NAME;
  chainId: number;
  verifyingContract: string;
}

/** The version of `EIP712_TYPES`, stored with every signature. Change it whenever a type changes. */
export const TYPED_DATA_VERSION = 'badge/1';

const TOKEN_ID_FIELDS = [{ name: 'tokenId', type: 'uint256' }] as const;

/** Every type that is signed in this domain, in the form that viem and ethers accept. */
export const EIP712_TYPES = {
  Badge: [
    { name: 'headline', type: 'string' },
    { name: 'description', type: 'string' },
    { name: 'startDateTimestamp', type: 'uint256' },
    { name: 'endDateTimestamp', type: 'uint256' },
    { name: 'links', type: 'string[]' },
    { name: 'communityUniqId', type: 'string' },
    { name: 'isSignatureRequired', type: 'bool' },
    { name: 'isAllowlistRequired', type: 'bool' },
    { name: 'totalClaimCount', type: 'int256' },
    { name: 'expirationTimestamp', type: 'uint256' },
  ],
  Claim: TOKEN_ID_FIELDS,
  Burn: TOKEN_ID_FIELDS,
  AllowlistedAddress: TOKEN_ID_FIELDS,
  CommunityAdminAirdrop: TOKEN_ID_FIELDS,
  CommunityAdminAirdropReceiverConsent: TOKEN_ID_FIELDS,
  ReceiveBadges: [
    { name: 'emailHash', type: 'string' },
    { name: 'nonce', type: 'uint256' },
  ],
} as const;

/** The name of a signed type whose only field is `tokenId`. */
export type TokenIdMessageName = Exclude<keyof typeof EIP712_TYPES, 'Badge' | 'ReceiveBadges'>;

/** A message of the type `ReceiveBadges`: a wallet gets the badges that are kept for an e-mail. */
export interface ReceiveBadgesMessage {
  /** `emailHash` of `GET /v1/sessions/current`. */
  emailHash: string;
  /** `moveNonce` of `GET /v1/sessions/current`. */
  nonce: number;
}

/** A message of the type `Badge`, which the creator of a token signs. Timestamps are in milliseconds. */
export interface BadgeMessage {
  headline: string;
  description: string;
  startDateTimestamp: number;
  endDateTimestamp: number;
  links: readonly string[];
  communityUniqId: string;
  isSignatureRequired: boolean;
  isAllowlistRequired: boolean;
  totalClaimCount: number;
  expirationTimestamp: number;
}

/** The fields of a POST /v1/tokens body that are signed. Timestamps are in milliseconds. */
export interface BadgeRequest {
  headline: string;
  description?: string | null | undefined;
  startDateTimestamp?: number | null | undefined;
  endDateTimestamp?: number | null | undefined;
  links?: readonly string[] | null | undefined;
  communityId: string;
  isSignatureRequired: boolean;
  isAllowlistRequired: boolean;
  totalClaimCount?: number | null | undefined;
  expirationTimestamp?: number | null | undefined;
}

/** Returns the message that a creator signs for a body. An absent or null field is signed as "", [] or 0. */
export function toBadgeMessage(request: BadgeRequest): BadgeMessage {
  return {
    headline: request.headline,
    description: request.description ?? '',
    startDateTimestamp: request.startDateTimestamp ?? 0,
    endDateTimestamp: request.endDateTimestamp ?? 0,
    links: request.links ?? [],
    communityUniqId: request.communityId,
    isSignatureRequired: request.isSignatureRequired,
    isAllowlistRequired: request.isAllowlistRequired,
    totalClaimCount: request.totalClaimCount ?? 0,
    expirationTimestamp: request.expirationTimestamp ?? 0,
  };
}

import type { Token } from '@badge/protocol';
import type { Settings } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import type { TokenRow } from '../../storage/tokens.ts';
import { toCustomAttributes } from './to-custom-attributes.ts';
import { toTokenUrls } from './to-token-urls.ts';

/** The token object (spec 2.2) of a stored token. */
export function toToken(settings: Settings, row: TokenRow): Token {
  return {
    tokenId: row.token_id,
    headline: row.headline,
    description: row.description,
    startDateTimestamp: row.start_timestamp,
    endDateTimestamp: row.end_timestamp,
    links: row.links,
    communityId: row.community_id,
    nftTypeId: row.nft_type_id,
    customAttributes: toCustomAttributes(row.custom_attributes),
    createdByAddress: toChecksumAddress(row.creator),
    createdAtTimestamp: row.created_at.getTime(),
    imageUrl: toTokenUrls(settings, row).imageUrl,
    claimabilityAttributes: {
      isSignatureRequired: row.is_signature_required,
      isAllowlistRequired: row.is_allowlist_required,
      totalClaimCount: row.total_claim_count,
      remainingClaimCount: row.remaining_claim_count,
      expirationTimestamp: row.expiration_timestamp,
    },
  };
}

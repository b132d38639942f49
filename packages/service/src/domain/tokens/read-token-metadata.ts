import type { CustomAttribute, TokenMetadata } from '@badge/protocol';
import type { Context } from '../../context.ts';
import { toChecksumAddress } from '../../signatures/address.ts';
import type { Reader } from '../reader.ts';
import { readWholeTokenRow, toTokenUrls } from './read-token.ts';

/**
 * Reads the ERC-1155 metadata of a token. `tokenId` is in decimal, or in 64 hex digits as ERC-1155 writes it.
 */
export async function readTokenMetadata(
  context: Context,
  reader: Reader,
  tokenId: string,
): Promise<TokenMetadata> {
  const row = await readWholeTokenRow(context, reader, toDecimalId(tokenId));
  const { imageUrl, assetUrl } = toTokenUrls(context.settings, row);
  return {
    name: row.headline,
    description: row.description,
    image: imageUrl,
    ...(assetUrl === imageUrl ? {} : { animation_url: assetUrl }),
    external_url: `${context.settings.publicUrl}/token/${row.token_id}`,
    attributes: row.custom_attributes.map(toMetadataAttribute),
    properties: {
      tokenId: row.token_id,
      communityId: row.community_id,
      createdByAddress: toChecksumAddress(row.creator),
      createdAtTimestamp: row.created_at.getTime(),
      startDateTimestamp: row.start_timestamp,
      endDateTimestamp: row.end_timestamp,
      links: row.links,
      ...(row.valid_until === null ? {} : { validUntilTimestamp: row.valid_until.getTime() }),
      ...(row.validity_days === null ? {} : { validityDays: row.validity_days }),
      ...(row.replaced_by_token_id === null ? {} : { replacedByTokenId: row.replaced_by_token_id }),
    },
  };
}

function toDecimalId(tokenId: string): string {
  return /^[0-9a-f]{64}$/i.test(tokenId) ? BigInt(`0x${tokenId}`).toString() : tokenId;
}

function toMetadataAttribute({
  fieldName,
  type,
  value,
}: CustomAttribute): TokenMetadata['attributes'][number] {
  switch (type) {
    case 'number':
      return { trait_type: fieldName, value, display_type: 'number' };
    case 'date':
      return { trait_type: fieldName, value: toSeconds(value), display_type: 'date' };
    default:
      return { trait_type: fieldName, value };
  }
}

// A date-time without an offset is UTC; Date.parse would read it as local time.
function toSeconds(date: string | number | boolean): number {
  const text = String(date);
  const hasNoOffset = /T[^Z+-]*$/.test(text);
  const timestamp = typeof date === 'number' ? date : Date.parse(hasNoOffset ? `${text}Z` : text);
  return Math.floor(timestamp / 1_000);
}

import Type, { type Static } from 'typebox';
import { Address, Nullable, Timestamp, TokenId } from './shared.ts';

const MetadataAttribute = Type.Object({
  trait_type: Type.String(),
  value: Type.Unsafe<string | number | boolean>({
    type: ['string', 'number', 'boolean'],
    description: 'A date is in seconds since 1970.',
  }),
  display_type: Type.Optional(Type.Unsafe<'number' | 'date'>({ type: 'string', enum: ['number', 'date'] })),
});

/** GET /metadata/:tokenId: ERC-1155 metadata, with the fields that wallets and marketplaces read. */
export const TokenMetadata = Type.Object(
  {
    name: Type.String({ description: "The token's headline." }),
    description: Type.String(),
    image: Type.String({ format: 'uri' }),
    animation_url: Type.Optional(
      Type.String({ format: 'uri', description: 'The video, where the NFT type is one.' }),
    ),
    external_url: Type.String({
      format: 'uri',
      description: "The first of the token's links that is an http or https URL, else the token itself.",
    }),
    attributes: Type.Array(MetadataAttribute),
    properties: Type.Object({
      tokenId: TokenId,
      communityId: Type.String(),
      createdByAddress: Address,
      createdAtTimestamp: Timestamp,
      startDateTimestamp: Nullable(Timestamp),
      endDateTimestamp: Nullable(Timestamp),
      links: Type.Array(Type.String()),
    }),
  },
  { title: 'TokenMetadata' },
);
export type TokenMetadata = Static<typeof TokenMetadata>;

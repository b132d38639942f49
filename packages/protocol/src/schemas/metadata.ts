import Type, { type Static } from 'typebox';
import { Address, Count, Nullable, Timestamp, TokenId } from './field-types.ts';

const MetadataAttribute = Type.Object({
  trait_type: Type.String(),
  value: Type.Unsafe<string | number | boolean>({
    type: ['string', 'number', 'boolean'],
    description: 'If `display_type` is `date`: seconds since 1970, UTC.',
  }),
  display_type: Type.Optional(Type.Unsafe<'number' | 'date'>({ type: 'string', enum: ['number', 'date'] })),
});

/** The response of GET /metadata/:tokenId: ERC-1155 metadata for wallets and marketplaces. */
export const TokenMetadata = Type.Object(
  {
    name: Type.String({ description: "The token's headline." }),
    description: Type.String(),
    image: Type.String({ format: 'uri' }),
    animation_url: Type.Optional(
      Type.String({ format: 'uri', description: 'The video. Absent if the NFT type is an image.' }),
    ),
    external_url: Type.String({
      format: 'uri',
      description: 'The URL of the web page of the token.',
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
      validUntilTimestamp: Type.Optional({
        ...Timestamp,
        description:
          'When the badge ends for all, unless it was renewed for somebody. Absent if it does not.',
      }),
      validityDays: Type.Optional({
        ...Count,
        description:
          'How many days after its claim the badge ends, unless it was renewed. Absent if it does not.',
      }),
      replacedByTokenId: Type.Optional({
        ...TokenId,
        description: 'The token that has replaced this one. Absent if none has.',
      }),
    }),
  },
  { title: 'TokenMetadata' },
);
export type TokenMetadata = Static<typeof TokenMetadata>;

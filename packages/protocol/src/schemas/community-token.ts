import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Choice, IsoTimestamp, OrderedPageQuery, Text, TokenId } from './field-types.ts';
import { CustomAttribute } from './token.ts';

/** An item of GET /v1/communities/:communityId/tokens. */
export const CommunityToken = Type.Object(
  {
    tokenId: TokenId,
    headline: Type.String(),
    assetUrl: Type.String({
      format: 'uri',
      description: 'The image. If the NFT type is a video: the video.',
    }),
    createdAtTimestamp: IsoTimestamp(
      'An ISO 8601 date-time. In other responses, a field of this name is a number.',
    ),
    customAttributes: Type.Array(CustomAttribute),
  },
  { title: 'CommunityToken' },
);
export type CommunityToken = Static<typeof CommunityToken>;

/** The query of GET /v1/communities/:communityId/tokens. Other parameters filter by a custom attribute. */
export const CommunityTokensQuery = Type.Object(
  {
    ...OrderedPageQuery.properties,
    headline: Type.Optional(
      Text({ maxLength: LIMITS.headlineCharacters, description: 'Only tokens with exactly this headline.' }),
    ),
    isHidden: Type.Optional(
      Choice(['true', 'false'], {
        description:
          "Only hidden tokens (`true`), or only the others (`false`). Requires the community's key.",
      }),
    ),
  },
  { additionalProperties: Text({ maxLength: LIMITS.attributeTextCharacters }) },
);
export type CommunityTokensQuery = Static<typeof CommunityTokensQuery>;

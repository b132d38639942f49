import Type, { type Static } from 'typebox';
import { LIMITS } from '../limits.ts';
import { Choice, OrderedPageQuery, Text, TokenId } from './shared.ts';
import { CustomAttribute } from './token.ts';

/** An item of GET /v1/communities/:communityId/tokens. */
export const CommunityToken = Type.Object(
  {
    tokenId: TokenId,
    headline: Type.String(),
    assetUrl: Type.String({ format: 'uri', description: 'An image or a video.' }),
    createdAtTimestamp: Type.String({
      format: 'date-time',
      pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
      description: 'ISO 8601, here alone.',
    }),
    customAttributes: Type.Array(CustomAttribute),
  },
  { title: 'CommunityToken' },
);
export type CommunityToken = Static<typeof CommunityToken>;

/** The query of GET /v1/communities/:communityId/tokens; every other parameter is a custom attribute's name. */
export const CommunityTokensQuery = Type.Object(
  {
    ...OrderedPageQuery.properties,
    headline: Type.Optional(
      Text({ maxLength: LIMITS.headlineCharacters, description: 'The whole headline.' }),
    ),
    isHidden: Type.Optional(
      Choice(['true', 'false'], {
        description: "Hidden tokens alone, or the others alone; needs the community's key.",
      }),
    ),
  },
  { additionalProperties: Text({ maxLength: LIMITS.attributeTextCharacters }) },
);
export type CommunityTokensQuery = Static<typeof CommunityTokensQuery>;
